import { sql } from 'kysely';
import type { Tx } from '../../src/storage/index.ts';
import { StorageThread } from '../../src/storage/sqlite/thread.ts';
import { transactionsOver } from '../../src/storage/sqlite/transactions.ts';
import { WriteQueue } from '../../src/storage/sqlite/write-queue.ts';

/**
 * Runs with a limit on file sizes. Four transactions, all turns or all scripts, share a commit, and one of
 * them is too large for the disk. Prints the outcome of each, the outcome of a later small one, and the
 * stored rows.
 */
const [file = '', megabytes = '', kind = ''] = process.argv.slice(2);
const thread = await StorageThread.start(
  new URL('../../src/storage/sqlite/writer-thread.ts', import.meta.url),
  { file, readOnly: false, busyTimeoutMs: 100, cacheKilobytes: 8192, unsafeSynchronousOff: false },
  'full-disk-writer',
);
const queue = new WriteQueue(thread, { turnsMax: 64, msMax: Number.POSITIVE_INFINITY });
const transaction = transactionsOver(queue);
await transaction((tx) => sql`create table t (n integer, filler text)`.execute(tx));

const add = (tx: Tx, n: number, bytes: number) =>
  sql`insert into t values (${n}, ${'x'.repeat(bytes)})`.execute(tx);
const insert = (n: number, bytes: number) => transaction((tx) => add(tx, n, bytes));
/** The second row is sent before the first has failed. */
const insertLarge = (n: number) =>
  transaction((tx) => Promise.all([add(tx, n, Number(megabytes) << 20), add(tx, -n, 10)]));
const outcome = (result: PromiseSettledResult<unknown>) =>
  result.status === 'fulfilled' ? 'kept' : result.reason.name;

const script = (...rows: [n: number, bytes: number][]) =>
  queue.run({
    kind: 'script',
    guards: 0,
    steps: rows.map(([n, bytes]) => ({
      sql: 'insert into t values (?, ?)',
      parameters: [n, 'x'.repeat(bytes)],
    })),
  });
const large: [number, number] = [3, Number(megabytes) << 20];

const group = await Promise.allSettled(
  kind === 'turns'
    ? [insert(1, 10), insert(2, 10), insertLarge(3), insert(4, 10)]
    : [script([1, 10]), script([2, 10]), script(large, [-3, 10]), script([4, 10])],
);
const [after] = await Promise.allSettled([insert(5, 10)]);
const { rows } = await transaction((tx) => sql`select n from t`.execute(tx));
console.log(JSON.stringify({ group: group.map(outcome), after: outcome(after), stored: rows }));
await thread.close();
