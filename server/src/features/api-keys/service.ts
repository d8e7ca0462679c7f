import type { Actor } from '../../kernel/actor.ts';
import { type Principal, requireScope, type Tenant, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { generateValue } from '../../kernel/secrets/key-values.ts';
import { isUniqueViolation, type Storage, type Tx } from '../../storage/index.ts';
import type { ChangeRunner, Idempotency, InsertUnit, Unit } from '../changes/index.ts';
import {
  type ChangeCredits,
  type ChangedCredits,
  type CreditPool,
  type CreditService,
  type Credits,
  type CreditsChange,
  type CreditsWithGrants,
  creditPool,
  creditsRecord,
  emitNewBalance,
  eraseCredits,
  keysOfGroup,
  newPool,
  newPoolRow,
  type PoolAccess,
  type StatementQuery,
  setCredits,
} from '../credits/index.ts';
import {
  activeColumns,
  issue,
  requireUsable,
  rotate,
  successorExpiry,
} from '../issued-keys/index.ts';
import { countsUnits, limitsText, requirePlan, requireUnits } from '../policies/index.ts';
import type { ProjectCache } from '../projects/index.ts';
import { creditPoolOf, invalidateGroup, poolOwnerOf, requireCreditsScope } from './credits.ts';
import { updateOf } from './key-update.ts';
import { projectFor } from './project-for.ts';
import type { KeyReader } from './reader.ts';
import { apiKey, keyColumns, NEW_KEY_JOINED } from './record.ts';
import { recordChange, recordCreated } from './record-change.ts';
import { checkCustomValue } from './rules.ts';
import type { ApiKey, CreateApiKey, PatchApiKey } from './schema.ts';
import {
  eraseKey,
  findKey,
  type KeyFields,
  type KeyRow,
  type KeyWithCredits,
  updateKey,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly projects: ProjectCache;
  readonly credits: CreditService;
  readonly reader: KeyReader;
}

/** Hooks for a caller with fewer rights, such as a customer in the portal. Also used by `rotate`. */
export interface CreationHooks<T> {
  /** Runs in the transaction and throws if the key must not be created. */
  check(tx: Tx): Promise<void>;
  /** What is returned, and stored for an idempotent retry. */
  view(row: KeyFields, value: string): T;
}

interface KeyInAccount {
  readonly accountId: string;
  readonly id: string;
}

/** Creates and changes API keys. */
export class ApiKeyService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create<T = ApiKey>(
    actor: Actor,
    input: CreateApiKey,
    idempotency?: Idempotency,
    creation?: CreationHooks<T>,
  ): Promise<T> {
    const project = await projectFor(this.#parts.projects, actor.principal, input.projectId);
    if (input.key !== undefined) checkCustomValue(input.key);
    if (input.credits) {
      const resource = { accountId: project.account_id, projectId: project.id };
      requireScope(actor.principal, 'credits:write', resource, 'project_not_found');
    }
    const value = input.key ?? generateValue(project.key_prefix ?? `${project.env}_`);
    const { storage, secrets, ids } = this.#parts;
    const make = (unit: InsertUnit): T => {
      const { clientIP, clientUserAgent } = input;
      const id = ids('key');
      const columns = keyColumns.toInsert(input, { notBefore: unit.now });
      const row = {
        ...issue(secrets, { id, value, expiresAt: columns.expires_at }, unit.now),
        account_id: project.account_id,
        project_id: project.id,
        ...columns,
        rate_limit: input.rateLimitConfigs?.rateLimit ?? null,
        rate_limit_ttl: input.rateLimitConfigs?.rateLimitTtl ?? null,
        creation_context: JSON.stringify({ clientIP, clientUserAgent }),
        limit_group: id,
      };
      unit.add(storage.point.insertInto('api_keys').values(row).compile());
      const made = {
        ...row,
        ...NEW_KEY_JOINED,
        seq: 0,
        env: project.env,
        key_prefix: project.key_prefix,
      };
      if (!input.credits) return created(unit, { ...made, credits: null }, value, creation);
      const pool = newPool(input.credits, { now: unit.now, makeId: () => ids('gr') });
      const poolRow = newPoolRow(poolOwnerOf(made), pool, unit.now);
      unit.add(storage.point.insertInto('credit_pools').values(poolRow).compile());
      const credits = creditsRecord(pool, unit.now);
      return created(unit, { ...made, credits }, value, creation);
    };
    const { planId } = input;
    const limits = limitsText(input.limits);
    const check = async (tx: Tx) => {
      if (planId) await requirePlan(tx, project.id, planId);
      await requireUnits(tx, project.id, limits);
      await creation?.check(tx);
    };
    const isChecked = Boolean(planId) || countsUnits(limits) || creation !== undefined;
    return keyExistsOnConflict(
      this.#parts.changes.add(actor, make, idempotency, isChecked ? check : undefined),
    );
  }

  async update(actor: Actor, key: string, input: PatchApiKey): Promise<ApiKey> {
    const row = await this.#parts.reader.find(actor.principal, 'keys:write', key);
    if (input.key !== undefined) checkCustomValue(input.key);
    if (input.credits === undefined) return this.#update(actor, row.id, input);
    requireCreditsScope(actor.principal, row);
    return this.#parts.credits.change(poolOwnerOf(row), (access) =>
      this.#update(actor, row.id, input, access),
    );
  }

  /** `access`: access to the pool of the key, if its credits are changed. */
  #update(actor: Actor, id: string, input: PatchApiKey, access?: PoolAccess): Promise<ApiKey> {
    const make = async (unit: Unit): Promise<ApiKey> => {
      let before = await this.#readAgain(unit, actor.principal, id);
      const change = updateOf(before, input, this.#parts.secrets);
      if (access === undefined && change === null) return apiKey(before);
      if (change?.plan_id) await requirePlan(unit.tx, before.project_id, change.plan_id);
      await requireUnits(unit.tx, before.project_id, change?.limits);
      await updateKey(unit.tx, id, { ...change, updated_at: unit.now });
      let after = { ...before, ...change, updated_at: unit.now };
      if (access !== undefined) {
        // After the key is updated, because its new plan may open the pool.
        const changed = await setCredits(unit, access, poolOwnerOf(before), input.credits!);
        await invalidateGroup(unit, before, changed);
        emitNewBalance(unit, poolOwnerOf(before), id, changed);
        before = { ...before, credits: changed.before };
        after = { ...after, credits: changed.after };
      }
      recordChange(unit, 'api-key.updated', before, after);
      return apiKey(after, input.key);
    };
    return keyExistsOnConflict(this.#parts.changes.run(actor, make));
  }

  /** Adds or sets credits of the key itself; it gets a pool if it has none. */
  async changeCredits(
    actor: Actor,
    key: string,
    change: ChangeCredits,
    idempotency?: Idempotency,
  ): Promise<ChangedCredits> {
    const row = await this.#parts.reader.find(actor.principal, 'credits:write', key);
    const target = {
      owner: poolOwnerOf(row),
      targetType: 'api-key',
      targetId: row.id,
      readAgain: (unit: Unit) => this.#readAgain(unit, actor.principal, row.id),
      invalidate: (unit: Unit, changed: CreditsChange) => invalidateGroup(unit, row, changed),
    } as const;
    return this.#parts.credits.addOrSet(actor, target, change, idempotency);
  }

  /** The key's own credits, not those of its customer. */
  async credits(principal: Principal, key: string): Promise<CreditsWithGrants | null> {
    return this.#parts.credits.withGrants(await this.#ownPool(principal, key));
  }

  async statement(principal: Principal, key: string, query: StatementQuery) {
    return this.#parts.credits.statement(await this.#ownPool(principal, key), query);
  }

  async #ownPool(principal: Principal, key: string): Promise<CreditPool> {
    const row = await this.#parts.reader.findWithLevels(principal, key);
    const paying = creditPoolOf(row);
    return paying?.ownerType === 'key' ? paying : creditPool(poolOwnerOf(row));
  }

  revoke(actor: Actor, key: string): Promise<ApiKey> {
    return this.#setActive(actor, key, 0);
  }

  reactivate(actor: Actor, key: string): Promise<ApiKey> {
    return this.#setActive(actor, key, 1);
  }

  async erase(actor: Actor, key: string): Promise<void> {
    const row = await this.#parts.reader.find(actor.principal, 'keys:write', key);
    const erase = (access: PoolAccess) =>
      this.#parts.changes.run(actor, async (unit) => {
        const before = await this.#readAgain(unit, actor.principal, row.id);
        await eraseKey(unit.tx, row.id);
        const others = await keysOfGroup(unit.tx, before.limit_group);
        if (others.length === 0) await eraseCredits(unit, access, poolOwnerOf(before));
        recordChange(unit, 'api-key.erased', before, null);
      });
    await this.#parts.credits.change(poolOwnerOf(row), erase);
  }

  /** The new key and the old one share a rate-limit window. */
  async rotate<T = ApiKey>(
    actor: Actor,
    key: string,
    graceSeconds: number,
    idempotency?: Idempotency,
    creation?: CreationHooks<T>,
  ): Promise<T> {
    const { id } = await this.#parts.reader.find(actor.principal, 'keys:write', key);
    const { changes, secrets, ids } = this.#parts;
    // Without a grace period, the old value is revoked.
    return (graceSeconds === 0 ? changes.onFullDisk : changes).run(
      actor,
      async (unit) => {
        const old = await this.#readAgain(unit, actor.principal, id);
        requireRotatable(old, unit.now);
        await creation?.check(unit.tx);
        const value = generateValue(old.key_prefix ?? `${old.env}_`);
        const { env, key_prefix, credits } = old;
        const expiresAt = await successorExpiry(unit.tx, 'api_keys', old, unit.now);
        const issued = issue(secrets, { id: ids('key'), value, expiresAt }, unit.now);
        const columns = { ...ownColumns(old), creation_context: '{}' };
        const { row, retired } = rotate(columns, issued, graceSeconds, unit.now);
        unit.write(unit.tx.insertInto('api_keys').values(row).execute());
        unit.write(updateKey(unit.tx, old.id, retired));
        const made = { ...row, ...NEW_KEY_JOINED, credits, seq: 0, env, key_prefix };
        const record = created(unit, made, value, creation);
        const action = graceSeconds === 0 ? 'api-key.deleted' : 'api-key.updated';
        recordChange(unit, action, old, { ...old, ...retired });
        return record;
      },
      idempotency,
    );
  }

  async #setActive(actor: Actor, key: string, active: 0 | 1): Promise<ApiKey> {
    const { id } = await this.#parts.reader.find(actor.principal, 'keys:write', key);
    const { changes } = this.#parts;
    return (active === 0 ? changes.onFullDisk : changes).run(actor, async (unit) => {
      const before = await this.#readAgain(unit, actor.principal, id);
      return setActiveIn(unit, before, active);
    });
  }

  /** Reads within another feature's change, which has checked the rights; null if the key was erased. */
  async readIn(unit: Unit, { accountId, id }: KeyInAccount): Promise<ApiKey | null> {
    const row = await this.#find(unit, { accountId, projectIds: null }, id);
    return row ? apiKey(row) : null;
  }

  /** Revokes a key within another feature's change, which has checked the rights. */
  async revokeIn(unit: Unit, { accountId, id }: KeyInAccount): Promise<ApiKey> {
    const row = await this.#find(unit, { accountId, projectIds: null }, id);
    return setActiveIn(unit, row!, 0);
  }

  /** Reads the row in the transaction: it may have changed or been erased since it was found. */
  async #readAgain(unit: Unit, principal: Principal, id: string): Promise<KeyWithCredits> {
    const row = await this.#find(unit, tenantOf(principal), id);
    if (!row) throw new KeywardError('key_not_found');
    return row;
  }

  async #find(unit: Unit, tenant: Tenant, id: string): Promise<KeyWithCredits | undefined> {
    const row = await findKey(unit.tx, tenant, { id });
    return row && withCredits(row, await this.#parts.credits.current(unit, poolOwnerOf(row), row));
  }
}

function created<T>(
  unit: Parameters<typeof recordCreated>[0],
  row: KeyWithCredits,
  value: string,
  creation: CreationHooks<T> | undefined,
): T {
  const record = recordCreated(unit, row, value);
  return creation ? creation.view(row, value) : (record as T);
}

async function setActiveIn(unit: Unit, before: KeyWithCredits, active: 0 | 1): Promise<ApiKey> {
  const change = activeColumns(before, active);
  if (change === null) return apiKey(before);
  const set = { ...change, updated_at: unit.now };
  await updateKey(unit.tx, before.id, set);
  const after = { ...before, ...set };
  recordChange(unit, active === 1 ? 'api-key.reactivated' : 'api-key.deleted', before, after);
  return apiKey(after);
}

/** Replaces the columns of the credits. */
function withCredits(row: KeyRow, credits: Credits | null): KeyWithCredits {
  const { credits_balance, refill_amount, refill_interval, refill_timezone, ...rest } = row;
  const { refill_anchor, next_refill_at, grants, ...fields } = rest;
  return { ...fields, credits };
}

/** The columns of `api_keys`, without the joined ones. */
function ownColumns(row: KeyWithCredits) {
  const { seq, env, key_prefix, project_is_active, first_used_at, last_used_at, ...rest } = row;
  const { credits, ...columns } = rest;
  return columns;
}

function requireRotatable(row: KeyFields, now: number): void {
  if (row.project_is_active === 0) throw new KeywardError('project_inactive');
  requireUsable(row, now, { expired: 'This key has expired. Set a later expiry first.' });
}

async function keyExistsOnConflict<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (isUniqueViolation(error, 'api_keys')) throw new KeywardError('key_exists');
    throw error;
  }
}
