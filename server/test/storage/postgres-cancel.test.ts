import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { runInRequest } from '../../src/kernel/request-context.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { freshPostgres } from '../harness/postgres/postgres.ts';

const CANCEL_REQUEST = 80_877_102;

/** A way to a server that forwards everything but cancel requests, which it keeps. */
async function keepingCancels(host: string, port: number) {
  const kept = Promise.withResolvers<Socket>();
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    sockets.push(near.on('error', () => {}));
    near.once('data', (first: Buffer) => {
      if (first.readUInt32BE(4) === CANCEL_REQUEST) return kept.resolve(near);
      const far = connect(port, host);
      sockets.push(far.on('error', () => {}));
      far.write(first);
      near.pipe(far).pipe(near);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, cancel: kept.promise };
}

it('a session whose cancel request may still be on its way serves nobody else', async () => {
  const database = await freshPostgres();
  onTestFinished(() => database.dispose());
  const url = new URL(database.url);
  const link = await keepingCancels(url.hostname, Number(url.port));
  url.host = `127.0.0.1:${link.port}`;
  const storage = await openPostgres({ url: url.href, poolSize: 4 });
  onTestFinished(() => storage.close());
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('select pg_advisory_lock(7)');

  const client = new AbortController();
  const context = { reader: 'a', signal: client.signal, pageSince: undefined };
  const read = runInRequest(context, () =>
    sql`select pg_backend_pid() as pid, pg_advisory_xact_lock_shared(7)`.execute(storage.read),
  );
  const ended = Promise.allSettled([read]);
  const waiting = () =>
    holder.query("select pid from pg_locks where locktype = 'advisory' and not granted");
  await expect.poll(async () => (await waiting()).rows).toHaveLength(1);
  const [{ pid }] = (await waiting()).rows;
  client.abort();
  const cancel = await link.cancel;
  // Now the request is no longer waited for, and the statement ends by itself.
  if (!cancel.destroyed) await once(cancel, 'close');
  await holder.query('select pg_advisory_unlock(7)');
  await ended;
  const next = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(storage.read);
  expect(next.rows[0]!.pid).not.toBe(pid);
});
