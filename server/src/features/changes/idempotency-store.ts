import type { Kysely } from 'kysely';
import { KeywardError } from '../../kernel/errors.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { type Database, deleteInBatches, type Storage, type Tx } from '../../storage/index.ts';
import type { AuditActor } from './audit-row.ts';

const KEPT_MS = 24 * 3_600_000;

/** A creating call that can be repeated: same principal, route and key mean the same call. */
export interface Idempotency {
  readonly route: string;
  readonly key: string;
  /** Keyed hash of the path parameters, the query, the body and, for a person, the account. */
  readonly requestHash: string;
}

export interface ReplayedResponse {
  readonly body: string;
}

/** Binds the ciphertext to its row. */
const contextOf = (principalId: string, { route, key }: Idempotency): string =>
  `idempotency:${principalId}:${route}:${key}`;

/** Another node completed the same call after this node had found no stored response. */
export class AlreadyCompleted extends Error {}

/**
 * Ensures that no other node runs the same call until this transaction ends. SQLite has a single node,
 * which tracks its calls in progress in memory.
 */
export async function claimCall(
  storage: Storage,
  tx: Tx,
  actor: AuditActor,
  idempotency: Idempotency,
  now: number,
): Promise<void> {
  if (storage.engine === 'sqlite') return;
  const isOurs = await storage.tryLock(tx, contextOf(actor.principal.id, idempotency));
  if (!isOurs) throw new KeywardError('idempotency_in_flight');
  const completed = await responseRows(tx, actor.principal.id, idempotency, now)
    .select('status')
    .executeTakeFirst();
  if (completed) throw new AlreadyCompleted();
}

const responseRows = (
  db: Kysely<Database>,
  principalId: string,
  { route, key }: Idempotency,
  now: number,
) =>
  db
    .selectFrom('idempotency')
    .where('principal_id', '=', principalId)
    .where('route', '=', route)
    .where('idempotency_key', '=', key)
    .where('expires_at', '>', now);

/** Stores the response of a call. It is encrypted, because it may contain a key value. */
export async function storeResponse(
  tx: Tx,
  secrets: Secrets,
  actor: AuditActor,
  idempotency: Idempotency,
  response: unknown,
  now: number,
): Promise<void> {
  const principalId = actor.principal.id;
  const { route, key, requestHash } = idempotency;
  await tx
    .deleteFrom('idempotency')
    .where('principal_id', '=', principalId)
    .where('route', '=', route)
    .where('idempotency_key', '=', key)
    .where('expires_at', '<=', now)
    .execute();
  await tx
    .insertInto('idempotency')
    .values({
      principal_id: principalId,
      route,
      idempotency_key: key,
      request_hash: requestHash,
      status: 201,
      response: secrets.encrypt(JSON.stringify(response), contextOf(principalId, idempotency)),
      resource_id: resourceIdOf(response),
      expires_at: now + KEPT_MS,
    })
    .execute();
}

const resourceIdOf = (response: unknown): string =>
  response !== null && typeof response === 'object' && 'id' in response ? String(response.id) : '';

/** The response of an earlier call, or null. Throws if that call had another path, query or body. */
export async function storedResponse(
  storage: Storage,
  secrets: Secrets,
  principalId: string,
  idempotency: Idempotency,
  now: number,
): Promise<ReplayedResponse | null> {
  const row = await responseRows(storage.point, principalId, idempotency, now)
    .select(['request_hash', 'response'])
    .executeTakeFirst();
  if (!row) return null;
  if (row.request_hash !== idempotency.requestHash) throw new KeywardError('idempotency_mismatch');
  return { body: secrets.decrypt(row.response, contextOf(principalId, idempotency)) };
}

const ROWS_PER_TRANSACTION = 500;

/** Deletes expired responses. Returns their number. */
export const sweepResponses = (storage: Storage, now: number): Promise<number> =>
  deleteInBatches(ROWS_PER_TRANSACTION, (max) => sweepSome(storage, now, max));

function sweepSome(storage: Storage, now: number, max: number): Promise<number> {
  return storage.transaction(async (tx) => {
    if (!(await storage.tryLock(tx, 'idempotency sweep'))) return 0;
    const { numDeletedRows } = await tx
      .deleteFrom('idempotency')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('principal_id', 'route', 'idempotency_key'),
          'in',
          selectFrom('idempotency as due')
            .select(['due.principal_id', 'due.route', 'due.idempotency_key'])
            .where('due.expires_at', '<=', now)
            .limit(max)
            .$asTuple('principal_id', 'route', 'idempotency_key'),
        ),
      )
      .where('expires_at', '<=', now)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}
