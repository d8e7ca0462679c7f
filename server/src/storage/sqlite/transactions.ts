import type { CompiledQuery } from 'kysely';
import type { Storage, TransactionOptions, Tx } from '../index.ts';
import { ManyQuery, transactionsOf } from '../kysely-driver.ts';
import { sqliteDialect, toStatement } from './dialect.ts';
import { allowingReserve, type DiskReserve } from './disk-reserve.ts';
import type { ManyRequest, QueryRequest } from './messages.ts';
import type { WriteQueue } from './write-queue.ts';

const TIMEOUT_MS = 10_000;

const transactionOver = transactionsOf(
  sqliteDialect(async () => {
    throw new Error('Use storage.transaction() for writes.');
  }),
);

function toRequest(query: CompiledQuery): QueryRequest | ManyRequest {
  const { sql, parameters } = query;
  return query instanceof ManyQuery
    ? { kind: 'many', sql, rows: query.rows }
    : { kind: 'query', sql, parameters };
}

export function transactionsOver(
  queue: WriteQueue,
  defaultTimeoutMs = TIMEOUT_MS,
  reserve?: DiskReserve,
): Storage['transaction'] {
  async function run<T>(
    work: (tx: Tx) => Promise<T>,
    { timeoutMs = defaultTimeoutMs, allowedOnFullDisk = false }: TransactionOptions,
  ): Promise<T> {
    const turn = await queue.enter(timeoutMs, allowedOnFullDisk);
    let result: T;
    try {
      const tx = transactionOver(toStatement((query) => turn.request(toRequest(query))));
      result = await Promise.race([work(tx), turn.cutOff]);
      turn.assertNoFailure();
    } catch (error) {
      await queue.leave(turn, 'rollback');
      throw error;
    }
    await queue.leave(turn, 'release');
    return result;
  }
  return (work, options = {}) =>
    options.allowedOnFullDisk
      ? allowingReserve(reserve, () => run(work, options))
      : run(work, options);
}
