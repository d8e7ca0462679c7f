import { workerData } from 'node:worker_threads';
import { Connection, type ConnectionOptions } from './connection.ts';
import { serveRequests } from './serve-requests.ts';

/** Body of a reader thread: lists and aggregates, one query at a time. */
serveRequests(() => {
  const connection = new Connection(workerData as ConnectionOptions);
  return (request) => {
    if (request.kind === 'query') return connection.query(request.sql, request.parameters);
    if (request.kind === 'close') connection.close();
    return {};
  };
});
