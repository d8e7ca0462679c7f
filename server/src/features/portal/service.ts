import type { Counters } from '../../cluster/counters/counters.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { PortalPrincipal, Principal } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { isIdOf } from '../../kernel/ids.ts';
import { itemsOf } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import { type Clock, isoTime } from '../../kernel/time/clock.ts';
import type { Storage, Tx } from '../../storage/index.ts';
import type { AnalyticsService } from '../analytics/index.ts';
import {
  type ApiKeyService,
  type CreationHooks,
  countActiveKeys,
  creditPoolOf,
  customerLevels,
  findKeyWithLevels,
  type KeyReader,
  type KeyWithLevels,
} from '../api-keys/index.ts';
import type { Idempotency } from '../changes/index.ts';
import type { CreditService, Credits } from '../credits/index.ts';
import { effectivePolicies, listOrNull } from '../policies/index.ts';
import { brandingRecord, projectIn } from '../projects/index.ts';
import { type AppliedLimit, limitState, limitsOf, portalKey } from './key-view.ts';
import { cappedPermissions, requireWithin } from './rules.ts';
import type {
  CreatePortalApiKey,
  ListPortalApiKeys,
  OwnPortalSession,
  PortalApiKey,
  PortalLimits,
  PortalUsageQuery,
} from './schema.ts';
import { findSession } from './store.ts';

/** A customer with this many active keys cannot create more in the portal. */
const KEYS_MAX = 100;

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly keys: ApiKeyService;
  readonly reader: KeyReader;
  readonly credits: CreditService;
  readonly analytics: AnalyticsService;
}

/** What customers do with their own keys. Other keys do not exist for them. */
export class PortalService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async session(principal: Principal): Promise<OwnPortalSession> {
    const customer = customerIn(principal);
    const { storage, clock } = this.#parts;
    const [row, project, levels] = await Promise.all([
      findSession(storage.point, customer, customer.id, clock()),
      projectIn(storage.point, customer.accountId, customer.projectIds[0]),
      this.#levels(customer),
    ]);
    // The session ended after the request was authenticated.
    if (!row || !project) throw new KeywardError('session_invalid');
    return {
      customAccountId: row.custom_account_id,
      customerName: levels.customer_name,
      branding: brandingRecord(project),
      allow: JSON.parse(row.allow),
      permissions: listOrNull(row.permissions),
      returnUrl: row.return_url,
      expiresAt: isoTime(row.expires_at),
    };
  }

  list(principal: Principal, filter: ListPortalApiKeys): Promise<Listing<PortalApiKey>> {
    const customer = customerIn(principal);
    return this.#parts.reader.listWithLevels(customer, filter, (rows) =>
      this.#view(customer, rows),
    );
  }

  async create(
    actor: Actor,
    input: CreatePortalApiKey,
    idempotency?: Idempotency,
  ): Promise<PortalApiKey> {
    const customer = customerIn(actor.principal);
    const permissions = cappedPermissions(customer.permissionCap, input.permissions);
    const levels = await this.#levels(customer);
    const credits = await this.#creditsFor({ ...keyWithoutSettings(customer), ...levels });
    const creation: CreationHooks<PortalApiKey> = {
      check: (tx) => this.#requireRoom(tx, customer),
      view: (row, value) => portalKey(customer, { ...row, ...levels }, credits, value),
    };
    const { name, expiry } = input;
    const fields = {
      name,
      projectId: customer.projectIds[0],
      customAccountId: customer.customAccountId,
      ...(expiry !== undefined && { expiry }),
      ...(permissions !== null && { permissions: [...permissions] }),
    };
    return this.#parts.keys.create(actor, fields, idempotency, creation);
  }

  async rename(actor: Actor, id: string, name: string): Promise<PortalApiKey> {
    requireKeyId(id);
    await this.#parts.keys.update(actor, id, { name });
    return this.#get(customerIn(actor.principal), id);
  }

  /** With a cap, only a key within the cap can be rotated: the customer receives its new value. */
  async rotate(
    actor: Actor,
    id: string,
    graceSeconds: number,
    idempotency?: Idempotency,
  ): Promise<PortalApiKey> {
    requireKeyId(id);
    const customer = customerIn(actor.principal);
    let oldKey: KeyWithLevels;
    const { credits } = await this.#get(customer, id);
    const creation: CreationHooks<PortalApiKey> = {
      check: async (tx) => {
        oldKey = (await findKeyWithLevels(tx, customer, { id }))!;
        if (customer.permissionCap !== null)
          requireWithin(
            customer.permissionCap,
            listOrNull(effectivePolicies(oldKey).permissions) ?? [],
          );
        // Until the grace period ends, both keys are active.
        if (graceSeconds > 0) await this.#requireRoom(tx, customer);
      },
      view: (row, value) => portalKey(customer, { ...oldKey, ...row }, credits, value),
    };
    return this.#parts.keys.rotate(actor, id, graceSeconds, idempotency, creation);
  }

  async revoke(actor: Actor, id: string): Promise<void> {
    requireKeyId(id);
    await this.#parts.keys.revoke(actor, id);
  }

  usage(principal: Principal, query: PortalUsageQuery): Promise<Listing<object>> {
    if (query.key !== undefined) requireKeyId(query.key);
    const [projectId] = customerIn(principal).projectIds;
    const { groupBy = 'outcome', ...rest } = query;
    return this.#parts.analytics.usage(principal, { ...rest, groupBy, projectId });
  }

  /** What is left of the limits of the 100 newest active keys, and of the customer's credits. */
  async limits(principal: Principal): Promise<PortalLimits> {
    const customer = customerIn(principal);
    const pseudoKey = { ...keyWithoutSettings(customer), ...(await this.#levels(customer)) };
    const active = { isActive: true, limit: KEYS_MAX };
    const { reader } = this.#parts;
    const rows = await itemsOf(
      await reader.listWithLevels(customer, active, async (found) => found),
    );
    const applied = new Map<string, { limit: AppliedLimit; keyId: string | null }>();
    for (const row of [{ ...pseudoKey, id: null }, ...rows])
      for (const limit of limitsOf(row))
        if (limit.isShared || row.id !== null) {
          const keyId = limit.isShared ? null : row.id;
          // A rotated key and its successor share a counter until the grace period ends: both show it.
          applied.set(`${keyId} ${limit.limit.counter}`, { limit, keyId });
        }
    const states = [...applied.values()].map(async ({ limit, keyId }) =>
      limitState(limit, keyId, await this.#read(limit)),
    );
    return { credits: await this.#creditsFor(pseudoKey), limits: await Promise.all(states) };
  }

  /** A cost of 0 reads the counter and changes nothing. */
  async #read({ group, limit }: AppliedLimit) {
    const { counters, clock } = this.#parts;
    const { states } = await counters.takeAll({ group, limits: [limit] }, 0, clock());
    return states[0]!;
  }

  async #get(customer: PortalPrincipal, id: string): Promise<PortalApiKey> {
    const row = await findKeyWithLevels(this.#parts.storage.point, customer, { id });
    if (!row) throw new KeywardError('key_not_found');
    return (await this.#view(customer, [row]))[0]!;
  }

  /** Keys that share a pool of credits share the query for it. */
  async #view(customer: PortalPrincipal, rows: readonly KeyWithLevels[]): Promise<PortalApiKey[]> {
    const pools = new Map<string, Promise<Credits | null>>();
    return Promise.all(
      rows.map(async (row) => {
        const pool = creditPoolOf(row);
        if (pool === null) return portalKey(customer, row, null);
        const known = pools.get(pool.name) ?? this.#parts.credits.read(pool);
        pools.set(pool.name, known);
        return portalKey(customer, row, await known);
      }),
    );
  }

  /** The credits that pay for the requests of a key. */
  async #creditsFor(row: Parameters<typeof creditPoolOf>[0]): Promise<Credits | null> {
    const pool = creditPoolOf(row);
    return pool && this.#parts.credits.read(pool);
  }

  #levels({ projectIds: [projectId], customAccountId }: PortalPrincipal) {
    return customerLevels(this.#parts.storage.point, projectId, customAccountId);
  }

  /** Locks, because otherwise two sessions could both create the last allowed key. */
  async #requireRoom(tx: Tx, customer: PortalPrincipal): Promise<void> {
    const { storage, clock } = this.#parts;
    const [projectId] = customer.projectIds;
    const { customAccountId } = customer;
    await storage.lock(tx, `portal keys ${projectId} ${customAccountId}`);
    const active = await countActiveKeys(tx, { projectId, customAccountId }, clock(), KEYS_MAX);
    if (active >= KEYS_MAX) throw new KeywardError('too_many_keys');
  }
}

/** The routes of the portal accept no other callers. */
function customerIn(principal: Principal): PortalPrincipal {
  if (principal.kind !== 'portal') throw new KeywardError('credential_invalid');
  return principal;
}

/** Customers name keys by their ids only: a value in a URL could end up in logs. */
function requireKeyId(id: string): void {
  if (!isIdOf('key', id)) throw new KeywardError('key_not_found', 'There is no such key.');
}

/**
 * An imaginary key without settings and counters of its own. Its limits and credits are what the customer
 * and the plan give every key.
 */
const keyWithoutSettings = ({ accountId, projectIds, customAccountId }: PortalPrincipal) => ({
  account_id: accountId,
  project_id: projectIds[0],
  custom_account_id: customAccountId,
  limit_group: '',
  rate_limit: null,
  rate_limit_ttl: null,
  permissions: null,
  limits: null,
  allowed_ips: null,
  created_at: 0,
});
