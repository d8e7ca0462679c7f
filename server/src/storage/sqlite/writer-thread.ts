import { workerData } from 'node:worker_threads';
import { Connection, type ConnectionOptions } from './connection.ts';
import { serveRequests } from './serve-requests.ts';
import {
  type Answer,
  type Bound,
  type Failure,
  type Request,
  type ScriptRequest,
  toFailure,
} from './wire.ts';

/**
 * Body of the writer thread. Logical transactions are savepoints of one physical transaction:
 *
 *   closed ──savepoint──▶ open ──release, rollback, savepoint …──▶ open ──commit──▶ closed
 *                          └── SQLite rolled everything back (disk full, I/O) ──▶ lost ──commit──▶ closed
 *
 * A script is a savepoint, its statements and its release or rollback at once.
 *
 * In `lost` every request fails, and so does the commit, which rejects the whole group.
 */
serveRequests(() => {
  const connection = new Connection(workerData as ConnectionOptions);
  const { database } = connection;
  let lost: Failure | undefined;

  const giveUp = (error: unknown): void => {
    lost = toFailure(error);
    if (database.isTransaction) database.exec('ROLLBACK');
  };

  const bound = (kind: Bound['kind']): void => {
    if (lost) return;
    try {
      if (kind === 'savepoint' && !database.isTransaction) database.exec('BEGIN IMMEDIATE');
      database.exec(BOUNDS[kind]);
    } catch (error) {
      giveUp(error);
    }
  };

  const commit = (): Answer => {
    try {
      // None is open when all that was asked for was refused before it travelled.
      if (!lost && database.isTransaction) database.exec('COMMIT');
    } catch (error) {
      giveUp(error);
    }
    const failure = lost;
    lost = undefined;
    return failure ? { failure } : {};
  };

  const change = (run: () => Answer): Answer => {
    if (lost) return { failure: lost };
    try {
      return run();
    } catch (error) {
      // Some errors make SQLite roll back the physical transaction, not only the statement.
      if (!database.isTransaction) giveUp(error);
      throw error;
    }
  };

  const script = ({ guards, steps }: ScriptRequest): Answer => {
    bound('savepoint');
    try {
      for (const [n, { sql, parameters }] of steps.entries()) {
        const { failure, rows } = change(() => connection.query(sql, parameters));
        if (failure) return { failure };
        if (n < guards && rows?.length !== 0) {
          bound('rollback');
          return { isGuarded: true };
        }
      }
    } catch (error) {
      bound('rollback');
      throw error;
    }
    bound('release');
    return {};
  };

  return (request: Request | Bound): Answer | undefined => {
    switch (request.kind) {
      case 'savepoint':
      case 'release':
      case 'rollback':
        return void bound(request.kind);
      case 'query':
        return change(() => connection.query(request.sql, request.parameters));
      case 'many':
        return change(() => connection.many(request.sql, request.rows));
      case 'script':
        return script(request);
      case 'commit':
        return commit();
      case 'ping':
        return connection.query('SELECT 1 AS one', []);
      case 'close':
        connection.close();
        return {};
    }
  };
});

const BOUNDS: Record<Bound['kind'], string> = {
  savepoint: 'SAVEPOINT turn',
  release: 'RELEASE turn',
  rollback: 'ROLLBACK TO turn; RELEASE turn',
};
