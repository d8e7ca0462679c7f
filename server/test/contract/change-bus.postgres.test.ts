import { setTimeout } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Change } from '../../src/cluster/change-bus/change-bus.ts';
import { AnotherNodeError, PostgresChangeBus } from '../../src/cluster/change-bus/postgres.ts';
import { Primary } from '../../src/storage/postgres.ts';
import { BUS_SILENCE_MS } from '../harness/long-timeouts.ts';
import { type FreshPostgres, freshPostgres } from '../harness/postgres/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { changeBusContract, keyChange, type TestNode } from './change-bus.contract.ts';

let database: FreshPostgres;
let db: Kysely<unknown>;
let nodeIds = 0;

beforeAll(async () => {
  database = await freshPostgres();
  const pool = new Pool({ connectionString: database.url });
  pool.on('error', () => {});
  db = new Kysely({ dialect: new PostgresDialect({ pool }) });
});
afterAll(async () => {
  await db.destroy();
  await database.dispose();
});

function createNode(url = database.url): TestNode & { readonly bus: PostgresChangeBus } {
  const received: Change[] = [];
  const bus = new PostgresChangeBus({
    primary: new Primary([{ connectionString: url }]),
    nodeId: `node-${++nodeIds}`,
    staleMs: 60_000,
    silenceMs: BUS_SILENCE_MS,
    onLost: () => {},
    onRestored: () => {},
  });
  bus.subscribe((changes) => received.push(...changes));
  return { bus, received };
}

const sessions = async (): Promise<unknown[]> =>
  (
    await sql`select pid from pg_stat_activity where application_name like 'keyward node %'
    and datname = current_database()`.execute(db)
  ).rows;

changeBusContract('postgres', async () => {
  const nodes = [createNode(), createNode(), createNode()];
  await Promise.all(nodes.map(({ bus }) => bus.start({ alone: false })));
  return {
    nodes,
    transaction: (work) => db.transaction().execute(work),
    dispose: async () => {
      for (const { bus } of nodes) bus.stop();
    },
  };
});

it('counts the live nodes, and rejects a second node that must run alone', async () => {
  const [first, second, third] = [createNode().bus, createNode().bus, createNode().bus];
  await expect.poll(sessions).toEqual([]);
  await first.start({ alone: true });
  await expect(second.start({ alone: true, timeoutMs: 1_500 })).rejects.toThrow(AnotherNodeError);
  expect(first.nodes).toBe(1);
  await third.start({ alone: false });
  await expect.poll(() => first.nodes).toBe(2);
  third.stop();
  await expect.poll(() => first.nodes).toBe(1);
  first.stop();
});

it('starts only one of several nodes that must each run alone, and the next one when that node has left', async () => {
  await expect.poll(sessions).toEqual([]);
  const buses = Array.from({ length: 4 }, () => createNode().bus);
  const starts = await Promise.allSettled(
    buses.map((bus) => bus.start({ alone: true, timeoutMs: 500 })),
  );
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const winner = buses[starts.findIndex(({ status }) => status === 'fulfilled')]!;
  const next = createNode().bus;
  const started = next.start({ alone: true, timeoutMs: 20_000 });
  winner.stop();
  await started;
  next.stop();
});

it('starts although PostgreSQL responds late', async () => {
  const { hostname, port } = new URL(database.url);
  const proxy = await TcpProxy.to(hostname, Number(port));
  proxy.freeze();
  const { bus } = createNode(proxy.via(database.url));
  const started = bus.start({ alone: false });
  await setTimeout(2_000);
  proxy.thaw();
  await started;
  expect(bus.isConnected).toBe(true);
  bus.stop();
  await proxy.close();
});

it('a node that must run alone waits while another node checks whether it is alone', async () => {
  await expect.poll(sessions).toEqual([]);
  const { bus } = createNode();
  await db.connection().execute(async (other) => {
    const lock = sql`hashtextextended('keyward looks around', 0)`;
    await sql`select pg_advisory_lock(${lock})`.execute(other);
    const started = bus.start({ alone: true });
    await setTimeout(2_000);
    await sql`select pg_advisory_unlock(${lock})`.execute(other);
    await started;
  });
  bus.stop();
});

it('receives every change that committed before its heartbeat, and reports the lag correctly', async () => {
  const { bus, received } = createNode();
  await bus.start({ alone: false });
  const change = keyChange();
  const committedAt = performance.now();
  await db.transaction().execute((tx) => bus.announce(tx, [change]));
  // Once the node receives a heartbeat sent after the commit, it has received the change.
  await expect.poll(() => performance.now() - bus.behindMs > committedAt + 50).toBe(true);
  expect(received).toContainEqual(change);
  bus.stop();
});
