import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Change } from '../../src/cluster/change-bus.ts';
import { AnotherNode, PostgresChangeBus } from '../../src/cluster/postgres-change-bus.ts';
import { type FreshPostgres, freshPostgres } from '../harness/postgres.ts';
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

function createNode(): TestNode & { readonly bus: PostgresChangeBus } {
  const heard: Change[] = [];
  const bus = new PostgresChangeBus({
    config: { connectionString: database.url },
    nodeId: `node-${++nodeIds}`,
    staleMs: 60_000,
    onLost: () => {},
    onBack: () => {},
  });
  bus.subscribe((changes) => heard.push(...changes));
  return { bus, heard };
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

it('counts the nodes that are alive, and lets only the first one be alone', async () => {
  const [first, second, third] = [createNode().bus, createNode().bus, createNode().bus];
  await expect.poll(sessions).toEqual([]);
  await first.start({ alone: true });
  await expect(second.start({ alone: true, patienceMs: 1_500 })).rejects.toThrow(AnotherNode);
  expect(first.nodes).toBe(1);
  await third.start({ alone: false });
  await expect.poll(() => first.nodes).toBe(2);
  third.stop();
  await expect.poll(() => first.nodes).toBe(1);
  first.stop();
});

it('lets one of several that start at the same moment be alone, and waits for one that goes', async () => {
  await expect.poll(sessions).toEqual([]);
  const buses = Array.from({ length: 4 }, () => createNode().bus);
  const starts = await Promise.allSettled(
    buses.map((bus) => bus.start({ alone: true, patienceMs: 500 })),
  );
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const winner = buses[starts.findIndex(({ status }) => status === 'fulfilled')]!;
  const next = createNode().bus;
  const started = next.start({ alone: true, patienceMs: 20_000 });
  winner.stop();
  await started;
  next.stop();
});

it('hears what committed before it speaks to itself, and nothing twice as old', async () => {
  const { bus, heard } = createNode();
  await bus.start({ alone: false });
  const change = keyChange();
  const committedAt = performance.now();
  await db.transaction().execute((tx) => bus.announce(tx, [change]));
  // Once it hears something it said after the commit, the change has been heard of.
  await expect.poll(() => performance.now() - bus.behindMs > committedAt + 50).toBe(true);
  expect(heard).toContainEqual(change);
  bus.stop();
});
