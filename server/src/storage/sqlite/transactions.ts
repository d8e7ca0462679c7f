import { type CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Database, Storage, TransactionOptions, Tx } from '../index.ts';
import { StatementConnection, sqliteDialect } from './dialect.ts';
import type { Turn } from './turn.ts';
import type { ManyRequest, QueryRequest } from './wire.ts';
import type { WriteQueue } from './write-queue.ts';

const TIMEOUT_MS = 10_000;

/** A statement for many rows, on its way through Kysely like any other. */
export class ManyQuery {
  readonly query: CompiledQuery['query'];
  readonly queryId: CompiledQuery['queryId'];
  readonly sql: string;
  readonly parameters: readonly unknown[] = [];
  readonly rows: readonly (readonly unknown[])[];

  constructor(statement: CompiledQuery, rows: readonly (readonly unknown[])[]) {
    this.query = statement.query;
    this.queryId = statement.queryId;
    this.sql = statement.sql;
    this.rows = rows;
  }
}

const dialect = sqliteDialect(async () => {
  throw new Error('Writes happen in storage.transaction().');
});
const compiler = new Kysely<Database>({ dialect }).getExecutor();
const driver = dialect.createDriver();

/**
 * Kysely's own `transaction()` sends the next query only when the last one is answered. Here each
 * goes to the writer as soon as it is asked for; the writer keeps the order.
 */
function transactionFor(turn: Turn): Tx {
  const connection = new StatementConnection((query) => turn.ask(toRequest(query)));
  const executor = compiler.withConnectionProvider({
    provideConnection: (consumer) => consumer(connection),
  });
  return new Transaction<Database>({ config: { dialect }, dialect, driver, executor });
}

function toRequest(query: CompiledQuery): QueryRequest | ManyRequest {
  const { sql, parameters } = query;
  return query instanceof ManyQuery
    ? { kind: 'many', sql, rows: query.rows }
    : { kind: 'query', sql, parameters };
}

export function transactionsOver(queue: WriteQueue): Storage['transaction'] {
  return async <T>(work: (tx: Tx) => Promise<T>, options: TransactionOptions = {}): Promise<T> => {
    const turn = await queue.enter(options.timeoutMs ?? TIMEOUT_MS);
    let result: T;
    try {
      result = await Promise.race([work(transactionFor(turn)), turn.cutOff]);
      turn.assertWhole();
    } catch (error) {
      await queue.leave(turn, 'rollback');
      throw error;
    }
    await queue.leave(turn, 'release');
    return result;
  };
}
