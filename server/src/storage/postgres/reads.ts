import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery } from 'kysely';
import type { QueryResult } from 'pg';
import { ReadTooSlow } from '../errors.ts';
import type { RunStatement } from '../kysely-driver.ts';
import type { ReadLanes } from '../reads/read-lanes.ts';
import { assertRead, toResult } from './dialect.ts';
import { ConnectionLost, isCancelled } from './errors.ts';
import type { Session } from './session.ts';
import type { SessionPool } from './session-pool.ts';

/** At the deadline the server ends the statement itself. */
const SERVER_ENDS_WITHIN_MS = 300;
/** A server that does not react to a cancel request is unreachable or suspended. */
const CANCEL_WITHIN_MS = 1_000;

/** Lists and aggregates, which end at their deadline, or when nobody waits for them. */
export const readsOver =
  (pool: SessionPool, lanes: ReadLanes, run: 'run' | 'runInBackground'): RunStatement =>
  async (query) => {
    assertRead(query);
    return lanes[run](async (_lane, stop, deadline) => {
      const { session, result } = await pool.acquireWith(
        'read',
        (session) => readUntil(session, query, stop, deadline),
        stop,
      );
      pool.release(session, 'read');
      return toResult(result);
    });
  };

async function readUntil(
  session: Session,
  { sql, parameters }: CompiledQuery,
  stop: AbortSignal,
  deadline: number,
): Promise<QueryResult> {
  const ended = new AbortController();
  let cancelling: Promise<void> | undefined;
  const onStop = () => {
    cancelling = cancel(session, stop.reason, ended.signal);
  };
  stop.addEventListener('abort', onStop);
  try {
    const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
    return await session.read(sql, parameters, leftMs);
  } catch (error) {
    throw isCancelled(error) && !stop.aborted ? new ReadTooSlow() : error;
  } finally {
    stop.removeEventListener('abort', onStop);
    ended.abort();
    // Until then, the session must serve nobody else.
    await cancelling;
  }
}

async function cancel(session: Session, reason: Error, ended: AbortSignal): Promise<void> {
  const unlessEnded = (ms: number) => sleep(ms, undefined, { signal: ended }).catch(() => {});
  if (reason instanceof ReadTooSlow) await unlessEnded(SERVER_ENDS_WITHIN_MS);
  if (ended.aborted) return;
  const isHandled = await session.cancel(CANCEL_WITHIN_MS).then(
    () => true,
    () => false,
  );
  if (isHandled) await unlessEnded(CANCEL_WITHIN_MS);
  // A request that arrives later would cancel the next statement of the session, which may be of another caller.
  if (!isHandled || !ended.aborted)
    session.end(new ConnectionLost('A statement could not be cancelled.'));
}
