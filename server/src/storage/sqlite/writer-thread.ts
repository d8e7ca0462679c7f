import { workerData } from 'node:worker_threads';
import { Connection, type ConnectionOptions } from './connection.ts';
import { GroupTransaction } from './group-transaction.ts';
import type { Reply, Request, SavepointCommand } from './messages.ts';
import { serveRequests } from './serve-requests.ts';

/** Body of the writer thread. */
serveRequests(() => {
  const connection = new Connection(workerData as ConnectionOptions);
  const group = new GroupTransaction(connection);

  return (request: Request | SavepointCommand): Reply | undefined => {
    switch (request.kind) {
      case 'savepoint':
      case 'release':
      case 'rollback':
        return void group.runSavepoint(request.kind);
      case 'query':
        return group.change(() => connection.query(request.sql, request.parameters));
      case 'many':
        return group.change(() => connection.many(request.sql, request.rows));
      case 'script':
        return group.script(request);
      case 'commit':
        return group.commit();
      case 'ping':
        return connection.query('SELECT 1 AS one', []);
      case 'close':
        connection.close();
        return {};
    }
  };
});
