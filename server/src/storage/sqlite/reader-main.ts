import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Connection, type ConnectionOptions } from './connection.ts';
import { type QueryRequest, type Reply, toFailure } from './messages.ts';

/**
 * Body of a reader process: lists and aggregates, one query at a time. It ends with its parent. Signals are for
 * the parent: Ctrl-C sends them to every process of the terminal.
 */
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

/**
 * Validations before lists: where server and readers share a core, large lists of another account delayed
 * a validation by 24 ms (p95) without this, and by 15 ms with it.
 */
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/**
 * Ends this process when its standard input ends, because then the parent has ended. Runs in its own thread (6 MB):
 * a query can block the main thread for minutes.
 */
const WATCH = `require('node:fs').read(0, Buffer.alloc(1), 0, 1, null, () => process.kill(process.pid, 'SIGKILL'))`;
const SMALL = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 };

const attempt = (run: () => Reply): void => {
  try {
    process.send?.(run());
  } catch (error) {
    process.send?.({ failure: toFailure(error) } satisfies Reply);
  }
};

attempt(() => {
  // The last argument: a single executable has one more before it.
  const connection = new Connection(JSON.parse(process.argv.at(-1) ?? '') as ConnectionOptions);
  process.on('message', ({ sql, parameters }: QueryRequest) =>
    attempt(() => connection.query(sql, parameters)),
  );
  return {};
});
new Worker(WATCH, { eval: true, resourceLimits: SMALL }).unref();
