import { type Dialect, Kysely, Transaction } from 'kysely';
import type { Database, Tx } from './index.ts';
import { type RunStatement, StatementConnection } from './statement-driver.ts';

/**
 * Kysely's own `transaction()` sends the next query only when the last one is answered, and knows
 * nothing of shared commits. Here each statement goes to `run` as soon as it is asked for.
 */
export function transactionsOf(dialect: Dialect): (run: RunStatement) => Tx {
  const compiler = new Kysely<Database>({ dialect }).getExecutor();
  const driver = dialect.createDriver();
  return (run) => {
    const connection = new StatementConnection(run);
    const executor = compiler.withConnectionProvider({
      provideConnection: (consumer) => consumer(connection),
    });
    return new Transaction<Database>({ config: { dialect }, dialect, driver, executor });
  };
}
