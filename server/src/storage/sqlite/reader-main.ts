import { Connection, type ConnectionOptions } from './connection.ts';
import { type QueryRequest, type Reply, toFailure } from './messages.ts';

/**
 * Body of a reader process: lists and aggregates, one query at a time. It ends when the connection to its
 * parent closes. Signals are for the parent: Ctrl-C sends them to every process of the terminal.
 */
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit());

const attempt = (run: () => Reply): void => {
  try {
    process.send?.(run());
  } catch (error) {
    process.send?.({ failure: toFailure(error) } satisfies Reply);
  }
};

attempt(() => {
  const connection = new Connection(JSON.parse(process.argv[2] ?? '') as ConnectionOptions);
  process.on('message', ({ sql, parameters }: QueryRequest) =>
    attempt(() => connection.query(sql, parameters)),
  );
  return {};
});
