import type { Kysely } from 'kysely';
import type { Actor } from '../../kernel/actor.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Database, Storage, Tx } from '../../storage/index.ts';

const KEPT_MS = 24 * 3_600_000;

/** A creating call that may be sent again: same principal, route and key mean the same call. */
export interface Idempotency {
  readonly route: string;
  readonly key: string;
  /** SHA-256 of the body. */
  readonly requestHash: string;
}

export interface ReplayedAnswer {
  readonly body: string;
}

/** Binds the ciphertext to its row. */
const contextOf = (principalId: string, { route, key }: Idempotency): string =>
  `idempotency:${principalId}:${route}:${key}`;

/** Another node made the call, and answered it, since we looked. */
export class AlreadyAnswered extends Error {}

/**
 * Makes this the only such call in the cluster until its transaction ends. A node knows its own
 * calls under way, so that SQLite, which has one, need not be asked.
 */
export async function claimCall(
  storage: Storage,
  tx: Tx,
  actor: Actor,
  idempotency: Idempotency,
  now: number,
): Promise<void> {
  if (storage.engine === 'sqlite') return;
  const isOurs = await storage.tryLock(tx, contextOf(actor.principal.id, idempotency));
  if (!isOurs) throw new KeywardError('idempotency_in_flight');
  const answered = await answerRows(tx, actor.principal.id, idempotency, now)
    .select('status')
    .executeTakeFirst();
  if (answered) throw new AlreadyAnswered();
}

const answerRows = (
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

/** Encrypted, because the answer of a create holds a key value. */
export async function storeAnswer(
  tx: Tx,
  secrets: Secrets,
  actor: Actor,
  idempotency: Idempotency,
  answer: unknown,
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
      response: secrets.encrypt(JSON.stringify(answer), contextOf(principalId, idempotency)),
      resource_id: resourceIdOf(answer),
      expires_at: now + KEPT_MS,
    })
    .execute();
}

const resourceIdOf = (answer: unknown): string =>
  answer !== null && typeof answer === 'object' && 'id' in answer ? String(answer.id) : '';

/** The answer of an earlier call, null when there was none, 422 when its body was another. */
export async function storedAnswer(
  storage: Storage,
  secrets: Secrets,
  principalId: string,
  idempotency: Idempotency,
  now: number,
): Promise<ReplayedAnswer | null> {
  const row = await answerRows(storage.point, principalId, idempotency, now)
    .select(['request_hash', 'response'])
    .executeTakeFirst();
  if (!row) return null;
  if (row.request_hash !== idempotency.requestHash) throw new KeywardError('idempotency_mismatch');
  return { body: secrets.decrypt(row.response, contextOf(principalId, idempotency)) };
}

/** Answers deleted in one transaction: other changes wait for no more than these. */
const PIECE = 500;

/** Deletes every answer whose time is over, in pieces; answers how many there were. */
export async function sweepAnswers(storage: Storage, now: number): Promise<number> {
  let swept = 0;
  for (let piece = PIECE; piece === PIECE; swept += piece) piece = await sweepPiece(storage, now);
  return swept;
}

function sweepPiece(storage: Storage, now: number): Promise<number> {
  return storage.transaction(async (tx) => {
    if (!(await storage.tryLock(tx, 'answer sweep'))) return 0;
    const { numDeletedRows } = await tx
      .deleteFrom('idempotency')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('principal_id', 'route', 'idempotency_key'),
          'in',
          selectFrom('idempotency as due')
            .select(['due.principal_id', 'due.route', 'due.idempotency_key'])
            .where('due.expires_at', '<=', now)
            .limit(PIECE)
            .$asTuple('principal_id', 'route', 'idempotency_key'),
        ),
      )
      .where('expires_at', '<=', now)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}
