import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import type { Updateable } from 'kysely';
import type { Actor } from '../../kernel/actor.ts';
import {
  accountFor,
  type GrantedScope,
  ownProject,
  type Principal,
  requireCreation,
  requireGrant,
  requireScope,
  type Scope,
} from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { isIdOf, type MakeId } from '../../kernel/ids.ts';
import { listing } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import { rateLimitColumns, rateLimitConfigs, rotation } from '../../kernel/schemas.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { generateValue, type ValuePrefix } from '../../kernel/secrets/key-values.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import type { AccessKeysTable } from '../../storage/schema/keys.ts';
import type { ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import { columnsOf, differences } from '../fields/index.ts';
import {
  activeColumns,
  issue,
  requireUsable,
  rotate,
  successorExpiry,
} from '../issued-keys/index.ts';
import { requireProject } from '../projects/index.ts';
import type { AccessKey, CreateAccessKey, ListAccessKeys, UpdateAccessKey } from './schema.ts';
import {
  type AccessKeyRow,
  type AccessKeyTenant,
  findAccessKey,
  handOverWebhooks,
  listAccessKeyRows,
} from './store.ts';

export const scopesOf = (row: { scopes: string }): GrantedScope[] => JSON.parse(row.scopes);

export const accessKeyColumns = columnsOf(ACCESS_KEY);

export function accessKeyRecord(row: AccessKeyRow, value?: string): AccessKey {
  const { name, scopes, ...fields } = accessKeyColumns.read(row);
  return {
    id: row.id,
    name,
    key: value ?? row.mask,
    accountId: row.account_id,
    projectId: row.project_id,
    scopes,
    isActive: row.is_active === 1,
    ...fields,
    rateLimitConfigs: rateLimitConfigs(row),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    ...rotation(row),
  };
}

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly secrets: Secrets;
  readonly ids: MakeId;
}

interface KeyInAccount {
  readonly accountId: string;
  readonly id: string;
}

const NOT_VALID = 'This access key is no longer valid.';

/** Creates and changes access keys. Nobody can grant more than they hold. */
export class AccessKeyService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create(
    actor: Actor,
    input: CreateAccessKey,
    idempotency?: Idempotency,
  ): Promise<AccessKey> {
    const { principal } = actor;
    const scopes: readonly GrantedScope[] = input.scopes ?? ['*'];
    const accountId = accountFor(principal, input.accountId);
    const projectId =
      input.projectId === undefined ? ownProject(tenantOf(principal)) : input.projectId;
    requireCreation(principal, { kind: 'access-key', accountId, projectId, scopes });
    const limit = limitIn(input);
    const prefix = await this.#prefixFor(accountId, projectId);
    const { changes, secrets, ids } = this.#parts;
    return changes.run(
      actor,
      async (unit) => {
        const value = generateValue(prefix);
        const columns = accessKeyColumns.toInsert(input, { notBefore: unit.now });
        const id = ids('ak');
        const row = {
          ...issue(secrets, { id, value, expiresAt: columns.expires_at }, unit.now),
          account_id: accountId,
          project_id: projectId,
          ...columns,
          rate_limit: limit?.rateLimit ?? null,
          rate_limit_ttl: limit?.rateLimitTtl ?? null,
          last_used_at: null,
        };
        await unit.tx.insertInto('access_keys').values(row).execute();
        recordChange(unit, 'access-key.created', null, { ...row, seq: 0 }, value);
        return accessKeyRecord({ ...row, seq: 0 }, value);
      },
      idempotency,
    );
  }

  async get(principal: Principal, key: string): Promise<AccessKey> {
    return accessKeyRecord(await this.#find(principal, 'access-keys:read', key));
  }

  list(principal: Principal, filter: ListAccessKeys): Promise<Listing<AccessKey>> {
    const { projectIds } = tenantOf(principal);
    const accountId = accountFor(principal, filter.accountId);
    const resource = { accountId, projectId: projectIds?.[0] ?? null };
    requireScope(principal, 'access-keys:read', resource, 'account_not_found');
    const { storage } = this.#parts;
    const tenant = { accountId, projectIds };
    return listing(
      filter,
      'ak',
      (range) => listAccessKeyRows(storage, tenant, filter, range),
      (row) => accessKeyRecord(row),
    );
  }

  update(actor: Actor, key: string, input: UpdateAccessKey): Promise<AccessKey> {
    if (input.scopes) requireGrant(actor.principal, input.scopes);
    const wanted = {
      ...accessKeyColumns.toUpdate(input),
      ...rateLimitColumns(input.rateLimitConfigs),
    };
    return this.#change(actor, key, 'access-key.updated', (row) => {
      // A later expiry makes an expired access key valid again, so it needs the same rights as reactivating.
      if (wanted.expires_at !== undefined) requireGrant(actor.principal, scopesOf(row));
      return differences(row, wanted);
    });
  }

  revoke(actor: Actor, key: string): Promise<AccessKey> {
    return this.#change(actor, key, 'access-key.deleted', (row) => activeColumns(row, 0));
  }

  reactivate(actor: Actor, key: string): Promise<AccessKey> {
    return this.#change(actor, key, 'access-key.reactivated', (row) => {
      requireGrant(actor.principal, scopesOf(row));
      return activeColumns(row, 1);
    });
  }

  async rotate(
    actor: Actor,
    key: string,
    graceSeconds: number,
    idempotency?: Idempotency,
  ): Promise<AccessKey> {
    const { id } = await this.#find(actor.principal, 'access-keys:write', key);
    const { changes, secrets, ids } = this.#parts;
    // Without a grace period, the old value is revoked.
    return (graceSeconds === 0 ? changes.onFullDisk : changes).run(
      actor,
      async (unit) => {
        const old = (await findAccessKey(unit.tx, tenantOf(actor.principal), { id }))!;
        // The caller receives the new value, and with it the rights of the access key.
        requireGrant(actor.principal, scopesOf(old));
        requireUsable(old, unit.now, { revoked: NOT_VALID, expired: NOT_VALID });
        const value = generateValue(await this.#prefixFor(old.account_id, old.project_id));
        const expiresAt = await successorExpiry(unit.tx, 'access_keys', old, unit.now);
        const issued = issue(secrets, { id: ids('ak'), value, expiresAt }, unit.now);
        const { seq: _, ...rest } = old;
        const columns = { ...rest, last_used_at: null };
        const { row, retired } = rotate(columns, issued, graceSeconds, unit.now);
        await unit.tx.insertInto('access_keys').values(row).execute();
        await unit.tx.updateTable('access_keys').set(retired).where('id', '=', old.id).execute();
        await handOverWebhooks(unit.tx, old, row.id);
        recordChange(unit, 'access-key.created', null, { ...row, seq: 0 }, value);
        const action = graceSeconds === 0 ? 'access-key.deleted' : 'access-key.updated';
        recordChange(unit, action, old, { ...old, ...retired });
        return accessKeyRecord({ ...row, seq: 0 }, value);
      },
      idempotency,
    );
  }

  /** `change` returns null if there is nothing to do. */
  async #change(
    actor: Actor,
    key: string,
    action: keyof typeof TOPIC_OF,
    change: (row: AccessKeyRow) => Updateable<AccessKeysTable> | null,
  ): Promise<AccessKey> {
    const { id } = await this.#find(actor.principal, 'access-keys:write', key);
    const { changes } = this.#parts;
    const isRevocation = action === 'access-key.deleted';
    return (isRevocation ? changes.onFullDisk : changes).run(actor, async (unit) => {
      const before = (await findAccessKey(unit.tx, tenantOf(actor.principal), { id }))!;
      const columns = change(before);
      return columns === null ? accessKeyRecord(before) : updateIn(unit, action, before, columns);
    });
  }

  /** Reads within another feature's change, which has checked the rights; null if there is no such access key. */
  async readIn(unit: Unit, { accountId, id }: KeyInAccount): Promise<AccessKey | null> {
    const row = await findAccessKey(unit.tx, { accountId, projectIds: null }, { id });
    return row ? accessKeyRecord(row) : null;
  }

  /** Revokes an access key within another feature's change, which has checked the rights. */
  async revokeIn(unit: Unit, { accountId, id }: KeyInAccount): Promise<AccessKey> {
    const row = (await findAccessKey(unit.tx, { accountId, projectIds: null }, { id }))!;
    const change = activeColumns(row, 0);
    return change === null
      ? accessKeyRecord(row)
      : updateIn(unit, 'access-key.deleted', row, change);
  }

  async #find(principal: Principal, action: Scope, key: string): Promise<AccessKeyRow> {
    const reference = isIdOf('ak', key)
      ? { id: key }
      : { hash: this.#parts.secrets.hashValue(key) };
    const row = await findAccessKey(this.#parts.storage.point, tenantOf(principal), reference);
    if (!row) throw new KeywardError('access_key_not_found');
    const resource = { accountId: row.account_id, projectId: row.project_id };
    requireScope(principal, action, resource, 'access_key_not_found');
    return row;
  }

  async #prefixFor(accountId: string, projectId: string | null): Promise<ValuePrefix> {
    if (projectId === null) {
      const account = await this.#parts.storage.point
        .selectFrom('accounts')
        .select('id')
        .where('id', '=', accountId)
        .executeTakeFirst();
      if (!account) throw new KeywardError('account_not_found');
      return 'account_access_';
    }
    const project = await requireProject(this.#parts.storage.point, accountId, projectId);
    // An access key of an inactive project could not be used.
    if (project.is_active === 0) throw new KeywardError('project_inactive');
    return `${project.env}_access_`;
  }
}

async function updateIn(
  unit: Unit,
  action: keyof typeof TOPIC_OF,
  before: AccessKeyRow,
  columns: Updateable<AccessKeysTable>,
): Promise<AccessKey> {
  const set = { ...columns, updated_at: unit.now };
  await unit.tx.updateTable('access_keys').set(set).where('id', '=', before.id).execute();
  const after = { ...before, ...set } as AccessKeyRow;
  recordChange(unit, action, before, after);
  return accessKeyRecord(after);
}

const tenantOf = (principal: Principal): AccessKeyTenant =>
  principal.kind === 'operator' ? { accountId: null, projectIds: null } : principal;

/** The rate limit, in either of its two forms. */
function limitIn({ rateLimitConfigs, rateLimit, rateLimitTtl }: CreateAccessKey) {
  if (rateLimit === undefined && rateLimitTtl === undefined) return rateLimitConfigs ?? null;
  if (rateLimitConfigs !== undefined)
    throw new KeywardError(
      'invalid_body',
      'Send either rateLimitConfigs, or rateLimit and rateLimitTtl.',
    );
  if (rateLimit === undefined) throw new KeywardError('invalid_body', 'rateLimit is missing.');
  if (rateLimitTtl === undefined)
    throw new KeywardError('invalid_body', 'rateLimitTtl is missing: the window in seconds.');
  return { rateLimit, rateLimitTtl };
}

/** The event of each action. */
const TOPIC_OF = {
  'access-key.created': 'access-key.created',
  'access-key.updated': 'access-key.updated',
  'access-key.reactivated': 'access-key.updated',
  'access-key.deleted': 'access-key.deleted',
} as const;

/** Audit row, event and cache invalidation. `value` is set if it was just generated. */
function recordChange(
  unit: Unit,
  action: keyof typeof TOPIC_OF,
  before: AccessKeyRow | null,
  after: AccessKeyRow,
  value?: string,
): void {
  unit.emit({
    type: TOPIC_OF[action],
    accountId: after.account_id,
    projectId: after.project_id,
    data: accessKeyRecord(after),
    ...(value !== undefined && {
      withValue: {
        data: accessKeyRecord(after, value),
        key: {
          kind: 'access-key',
          accountId: after.account_id,
          projectId: after.project_id,
          scopes: scopesOf(after),
        },
      },
    }),
  });
  unit.audit({
    action,
    accountId: after.account_id,
    projectId: after.project_id,
    targetType: 'access-key',
    targetId: after.id,
    before: before && accessKeyRecord(before),
    after: accessKeyRecord(after),
  });
  unit.affects({ kind: 'access-key', id: after.id, hash: after.hash });
}
