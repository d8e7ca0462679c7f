import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { StorageUnavailable } from '../../src/storage/index.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { Primary } from '../../src/storage/postgres/primary.ts';
import { POSTGRES_TIMEOUTS } from '../../src/storage/postgres/timeouts.ts';
import { openPostgres, type PostgresStorage } from '../../src/storage/postgres.ts';
import { type FreshPostgres, freshPostgres } from '../harness/postgres/postgres.ts';
import { startPostgresServer } from '../harness/postgres/server.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';

/** Far below the 15 minutes after which a kernel gives up a dead connection. */
const HANGS_MS = 240_000;
/** Longer for busy machines; the other timeouts as in production. */
const TIMEOUTS = { ...POSTGRES_TIMEOUTS, connect: 5_000, probe: 3_000 };

const names = (storage: PostgresStorage) =>
  storage.read.selectFrom('installation').select('name').orderBy('name').execute();

const put = (storage: PostgresStorage, name: string) =>
  storage.transaction((tx) =>
    tx.insertInto('installation').values({ name, value: name }).execute(),
  );

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([
    work.then(
      () => 'done',
      (error: unknown) => error,
    ),
    setTimeout(HANGS_MS, 'hangs', { ref: false }),
  ]);

describe('a connection that carries no data any more', () => {
  let database: FreshPostgres;
  let link: TcpProxy;
  let storage: PostgresStorage;

  beforeEach(async () => {
    database = await freshPostgres({ migrated: true });
    const { hostname, port } = new URL(database.url);
    link = await TcpProxy.to(hostname, Number(port));
    storage = await openPostgres({ url: link.via(database.url), poolSize: 4, timeouts: TIMEOUTS });
  });
  afterEach(async () => {
    await link.close();
    await storage.close();
    await database.dispose();
  });

  async function countRows(statement: string): Promise<number | null> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    return (await client.query(statement).finally(() => client.end())).rowCount;
  }

  it('is detected by reads, changes and waiting callers, and replaced', async () => {
    await put(storage, 'before');
    link.freeze();
    const pending = [
      ...Array.from({ length: 8 }, (_, n) => put(storage, `lost-${n}`)),
      ...Array.from({ length: 4 }, () => names(storage)),
      storage.ping(),
    ];
    for (const outcome of await Promise.all(pending.map(outcomeOf)))
      expect(outcome).toBeInstanceOf(StorageUnavailable);
    link.forwardNew();
    await put(storage, 'after');
    expect(await names(storage)).toEqual([{ name: 'after' }, { name: 'before' }]);
  });

  it('is detected if it is the only dead connection', async () => {
    await put(storage, 'before');
    link.freeze();
    link.forwardNew();
    expect(await outcomeOf(names(storage))).toBeInstanceOf(StorageUnavailable);
    expect(await names(storage)).toEqual([{ name: 'before' }]);
  });

  it('is reported once, and so is its return, however many statements fail', async () => {
    const events: string[] = [];
    storage.server.subscribe({
      onLost: ({ message }) => events.push(message),
      onRestored: () => events.push('restored'),
      onFailover: () => events.push('failover'),
    });
    const sleeping = Array.from({ length: 3 }, () =>
      storage.transaction((tx) => sql`select pg_sleep(600)`.execute(tx)),
    );
    const outcomes = Promise.all(sleeping.map(outcomeOf));
    // New sessions can be opened all the time: only the statements notice the loss.
    const sleepers = "datname = current_database() and query like 'select pg_sleep(600)%'";
    await expect.poll(() => countRows(`select from pg_stat_activity where ${sleepers}`)).toBe(3);
    await countRows(`select pg_terminate_backend(pid) from pg_stat_activity where ${sleepers}`);
    for (const outcome of await outcomes) expect(outcome).toBeInstanceOf(StorageUnavailable);
    expect(storage.server).toMatchObject({ isConnected: false, reconnects: 0 });
    await storage.ping();
    expect(storage.server).toMatchObject({ isConnected: true, reconnects: 1, failovers: 0 });
    expect(events).toEqual([expect.stringContaining('PostgreSQL'), 'restored']);
    expect(storage.server.host).toBe(new URL(link.via(database.url)).host);
  });

  it('is not assumed for a slow statement', async () => {
    // Longer than the silence after which the connection is probed, plus the time for the probe.
    await Promise.all([
      sql`select pg_sleep(3)`.execute(storage.read),
      storage.transaction((tx) => sql`select pg_sleep(3)`.execute(tx)),
    ]);
    await put(storage, 'after');
    expect(await names(storage)).toEqual([{ name: 'after' }]);
  });
});

it('a server that crashes and restarts loses no acknowledged change', async () => {
  const server = await startPostgresServer({ durable: true });
  const storage = await openPostgres({ url: server.url, poolSize: 4, timeouts: TIMEOUTS });
  try {
    await migrate(storage, 0);
    const acknowledged: string[] = [];
    let isStopped = false;
    const writer = async (id: number) => {
      for (let n = 0; !isStopped; n++) {
        const name = `${id}-${n}`;
        const outcome = await outcomeOf(put(storage, name));
        if (outcome === 'done') acknowledged.push(name);
        else {
          expect(outcome).toBeInstanceOf(StorageUnavailable);
          await setTimeout(20);
        }
      }
    };
    const writing = Promise.all([1, 2, 3, 4].map(writer));
    for (let round = 0; round < 3; round++) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 4);
      await server.stop('immediate');
      await server.start();
    }
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before);
    isStopped = true;
    await writing;
    const stored = new Set((await names(storage)).map(({ name }) => name));
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  } finally {
    await storage.close();
    await server.dispose();
  }
});

it('uses no session state, so that a transaction pooler works', async () => {
  const database = await freshPostgres({ migrated: true });
  const storage = await openPostgres({ url: database.url, directUrl: database.url, poolSize: 2 });
  try {
    const settings = async (db: PostgresStorage['read']) => {
      const { rows } = await sql<{ timeout: string; commit: string }>`
        select current_setting('statement_timeout') as timeout,
          current_setting('synchronous_commit') as commit`.execute(db);
      return rows[0];
    };
    const inside = await storage.transaction((tx) => settings(tx));
    expect(inside).toEqual({ timeout: '10s', commit: 'on' });
    // A read has its timeout, and leaves none behind.
    expect((await settings(storage.read))?.timeout).toBe('2min');
    expect((await settings(storage.point))?.timeout).toBe('0');
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_prepared_statements`.execute(storage.read);
    expect(rows).toEqual([{ n: 0 }]);
  } finally {
    await storage.close();
    await database.dispose();
  }
});

it('a new connection that turns out to lead to a standby is closed', async () => {
  const database = await freshPostgres();
  onTestFinished(() => database.dispose());
  const config = { connectionString: database.url };
  const primary = new Primary([config, config]);
  const ends: Error[] = [];
  const toStandby = async () => ({
    query: async () => ({ rows: [{ timeline: null }] }),
    end: (reason: Error) => ends.push(reason),
  });
  await expect(primary.connect(toStandby)).rejects.toThrow('no longer the primary');
  // It tries once more, after a new search.
  expect(ends).toHaveLength(2);
});
