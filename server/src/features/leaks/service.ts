import { hash } from 'node:crypto';
import type { Actor } from '../../kernel/actor.ts';
import {
  holdsScope,
  type Principal,
  requireScope,
  type Tenant,
  tenantOf,
} from '../../kernel/authority.ts';
import { isIdOf, type MakeId } from '../../kernel/ids.ts';
import { listing, NO_ITEMS } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { isGeneratedValue, shapeOf } from '../../kernel/secrets/key-values.ts';
import { inSlices } from '../../kernel/slices.ts';
import { type Clock, isoTime } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import { type AccessKeyService, accessKeyByHash, findAccessKey } from '../access-keys/index.ts';
import { type ApiKeyService, findKey, findKeysOfAnyAccount } from '../api-keys/index.ts';
import { type ChangeRunner, SYSTEM, type Unit } from '../changes/index.ts';
import { requireProject } from '../projects/index.ts';
import { leakLocation } from './location.ts';
import type {
  GithubFeedback,
  GithubMessage,
  Leak,
  LeakResult,
  ListLeaks,
  ReportLeaks,
} from './schema.ts';
import { SeenMessages } from './seen-messages.ts';
import {
  type Action,
  type LeakedKey,
  type LeakLocation,
  type LeakRow,
  listLeakRows,
  onLeakOf,
  saveLeak,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly clock: Clock;
  readonly changes: ChangeRunner;
  readonly keys: ApiKeyService;
  readonly accessKeys: AccessKeyService;
}

/** Keys that one transaction changes. */
const KEYS_PER_CHANGE = 100;

/** Tokens that are looked up before other requests have their turn. */
const TOKENS_AT_ONCE = 25;

type SystemActor = Parameters<ChangeRunner['run']>[0];

/** Acts on key values that were reported as leaked. The values themselves are neither stored nor logged. */
export class LeakService {
  readonly #parts: Parts;
  readonly #seenMessages: SeenMessages;
  /** Messages of GitHub that are being handled on this node, by the digest of their body. */
  readonly #githubMessages = new Map<string, Promise<ReadonlySet<number>>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#seenMessages = new SeenMessages(parts.storage);
  }

  /** Values that belong to no key of the caller are `unknown`. */
  async report(actor: Actor, { values, source, url }: ReportLeaks): Promise<LeakResult[]> {
    const tenant = tenantOf(actor.principal);
    const location = leakLocation(values, source, url ?? null);
    const found = new Map<string, LeakedKey>();
    for (const value of new Set(values)) {
      const key = await this.#find(tenant, value);
      if (key !== null) found.set(value, key);
    }
    const actions = await this.#act(actor, [...found.values()], location);
    return values.map((value) => {
      const keyId = found.get(value)?.id ?? null;
      const action = keyId === null ? undefined : actions.get(keyId);
      return action === undefined ? { keyId: null, action: 'unknown' } : { keyId, action };
    });
  }

  /**
   * Handles a message of GitHub whose signature was checked; `digest` is the SHA-256 of its body. Finds keys of all
   * accounts. A message that was handled before is answered without acting: a copy of it must not revoke a key
   * that has been reactivated since.
   */
  async reportFromGithub(
    request: Pick<Actor, 'requestId' | 'clientAddress' | 'userAgent'>,
    message: GithubMessage,
    digest: string,
  ): Promise<GithubFeedback> {
    const actor = { ...request, principal: SYSTEM.principal };
    const handling = this.#githubMessages.get(digest) ?? this.#handleOnce(actor, message, digest);
    this.#githubMessages.set(digest, handling);
    try {
      const real = await handling;
      return message.map(({ token, type }, n) => ({
        token_hash: hash('sha256', token, 'hex'),
        token_type: type,
        label: real.has(n) ? 'true_positive' : 'false_positive',
      }));
    } finally {
      this.#githubMessages.delete(digest);
    }
  }

  /** Returns the positions of the tokens that belong to keys. */
  async #handleOnce(
    actor: SystemActor,
    message: GithubMessage,
    digest: string,
  ): Promise<ReadonlySet<number>> {
    const { clock } = this.#parts;
    const seen = await this.#seenMessages.find(digest, clock());
    if (seen !== null) return seen;
    const real: number[] = [];
    for await (const slice of inSlices([...message.entries()], TOKENS_AT_ONCE))
      for (const [n, entry] of slice) if (await this.#reportToken(actor, entry)) real.push(n);
    await this.#seenMessages.add(digest, real, clock());
    return new Set(real);
  }

  /**
   * Whether the token belongs to a key. Values that Keyward did not generate are not looked up: several accounts may
   * use the same value.
   */
  async #reportToken(
    actor: SystemActor,
    { token, url, source = 'unknown' }: GithubMessage[number],
  ): Promise<boolean> {
    const found = await this.#findInAnyAccount(token);
    if (found.length === 0) return false;
    const location = leakLocation([token], `github.${source}`, url || null, 'lenient');
    for (let start = 0; start < found.length; start += KEYS_PER_CHANGE)
      await this.#act(actor, found.slice(start, start + KEYS_PER_CHANGE), location);
    return true;
  }

  async list(principal: Principal, query: ListLeaks): Promise<Listing<Leak>> {
    const { accountId, projectIds } = tenantOf(principal);
    const { projectId, key: keyId } = query;
    const { storage, clock } = this.#parts;
    if (projectId !== undefined) {
      await requireProject(storage.point, accountId, projectId);
      requireScope(principal, 'keys:read', { accountId, projectId }, 'project_not_found');
    }
    if (keyId !== undefined && !isIdOf('key', keyId) && !isIdOf('ak', keyId)) return NO_ITEMS;
    const filter = {
      accountId,
      projectIds: projectId === undefined ? projectIds : [projectId],
      keyId,
      withAccessKeys: holdsScope(principal, 'access-keys:read'),
      isActive: query.isActive,
    };
    return listing(
      query,
      'lek',
      (range) => listLeakRows(storage, filter, range, clock()),
      leakRecord,
    );
  }

  async #find(tenant: Tenant, value: string): Promise<LeakedKey | null> {
    if (shapeOf(value) === 'malformed') return null;
    const { point } = this.#parts.storage;
    const reference = { hash: this.#parts.secrets.hashValue(value) };
    const row =
      (await findKey(point, tenant, reference)) ?? (await findAccessKey(point, tenant, reference));
    return row ? leakedKey(row) : null;
  }

  async #findInAnyAccount(value: string): Promise<readonly LeakedKey[]> {
    if (!isGeneratedValue(value)) return [];
    const { point } = this.#parts.storage;
    const stored = this.#parts.secrets.hashValue(value);
    const accessKey = await accessKeyByHash(this.#parts.storage)(stored);
    if (accessKey) return [leakedKey(accessKey)];
    return (await findKeysOfAnyAccount(point, stored)).map(leakedKey);
  }

  /** Returns the action for each key that still exists, by id. */
  async #act(
    actor: SystemActor,
    keys: readonly LeakedKey[],
    location: LeakLocation,
  ): Promise<ReadonlyMap<string, Action>> {
    if (keys.length === 0) return new Map();
    // In the order of ids, so that two reports lock rows in the same order.
    const sorted = keys.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const { changes, storage } = this.#parts;
    const projects = new Set(sorted.map(({ projectId }) => projectId));
    const onLeak = await Promise.all([...projects].map((id) => onLeakOf(storage.point, id)));
    // On a full disk, what is left is kept for revocations, and not for reports.
    const runner = onLeak.includes('revoke') ? changes.onFullDisk : changes;
    return runner.run(actor, async (unit) => {
      const actions = new Map<string, Action>();
      for (const key of sorted) {
        const action = await this.#actOn(unit, key, location);
        if (action !== null) actions.set(key.id, action);
      }
      return actions;
    });
  }

  /** A repeated report for the same location emits an event only if it revokes the key. */
  async #actOn(unit: Unit, key: LeakedKey, location: LeakLocation): Promise<Action | null> {
    const service = isIdOf('ak', key.id) ? this.#parts.accessKeys : this.#parts.keys;
    const before = await service.readIn(unit, key);
    if (before === null) return null;
    const action = (await onLeakOf(unit.tx, key.projectId)) === 'revoke' ? 'revoked' : 'notified';
    const isRevokedNow = action === 'revoked' && before.isActive;
    const record = isRevokedNow ? await service.revokeIn(unit, key) : before;
    const isNew = await saveLeak(unit.tx, this.#parts.ids, key, location, action, unit.now);
    if (isNew || isRevokedNow) recordChange(unit, key, record, { ...location, action });
    return action;
  }
}

const leakedKey = (row: {
  id: string;
  account_id: string;
  project_id: string | null;
}): LeakedKey => ({ id: row.id, accountId: row.account_id, projectId: row.project_id });

/** Emits the event and adds the audit row. */
function recordChange(
  unit: Unit,
  { id, accountId, projectId }: LeakedKey,
  record: { readonly key: string; readonly name: string },
  leak: LeakLocation & { readonly action: Action },
): void {
  unit.emit({ type: 'api-key.leaked', accountId, projectId, data: { ...record, ...leak } });
  const targetType = isIdOf('ak', id) ? 'access-key' : 'api-key';
  const { key, name } = record;
  unit.audit({
    action: `${targetType}.leaked`,
    accountId,
    projectId,
    targetType,
    targetId: id,
    after: { key, name, ...leak },
  });
}

const leakRecord = (row: LeakRow): Leak => ({
  id: row.id,
  keyId: row.key_id,
  key: row.mask,
  name: row.name,
  isActive: row.is_active === null ? null : row.is_active === 1,
  projectId: row.project_id,
  source: row.source,
  url: row.url,
  action: row.action,
  reports: row.reports,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});
