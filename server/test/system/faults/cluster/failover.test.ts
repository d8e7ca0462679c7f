import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { postgresAddress } from '../../../../src/storage/postgres/address.ts';
import { openPostgres, Primary } from '../../../../src/storage/postgres.ts';
import { LONG_TIMEOUTS } from '../../../harness/long-timeouts.ts';
import { type PostgresServer, startPostgresServer } from '../../../harness/postgres/server.ts';
import { figure, timeoutMs } from '../../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../../harness/seeded-random.ts';
import { TcpProxy } from '../../../harness/tcp-proxy.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../../../harness/test-cluster.ts';
import { ChangeLedger } from './change-ledger.ts';

const SOON = { interval: 20 };
const WRITERS_PER_NODE = 2;

let primary: PostgresServer;
let standby: PostgresServer;
let cluster: TestCluster;
/** When the primary was stopped. */
let stoppedAt: number;

beforeEach(async () => {
  primary = await startPostgresServer({ durable: true });
  standby = await startPostgresServer({ durable: true, standbyOf: primary });
  // From now on a commit is acknowledged only when the standby has it too.
  await query(primary, "alter system set synchronous_standby_names = 'standby'");
  await query(primary, 'select pg_reload_conf()');
  const synchronous = 'select count(*)::int as n from pg_stat_replication where sync_priority > 0';
  await expect.poll(async () => (await query(primary, synchronous))[0]!.n, SOON).toBe(1);
  const url = `postgres://keyward@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
  cluster = await startCluster({
    nodes: 2,
    limitsPerNode: true,
    busSilenceMs: 1_000,
    database: { url, dispose: async () => {} },
  });
});
afterEach(async () => {
  await Promise.all([primary.stop('immediate'), standby.stop('immediate')]);
  await cluster.dispose();
  await Promise.all([primary.dispose(), standby.dispose()]);
});

async function query({ url }: PostgresServer, statement: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

const clients = () => cluster.nodes.map(({ client }) => client);

async function isBack({ app, client }: ClusterNode): Promise<boolean> {
  if (!app.cluster.readings.bus?.isConnected) return false;
  return (await client.post('/api-keys', { name: 'after the failover' })).status === 201;
}

const connectionMessages = ({ log }: ClusterNode): string[] =>
  log
    .map((line) => String(JSON.parse(line).msg))
    .filter((message) => /^PostgreSQL (unreachable|reachable|failed over)/.test(message));

/**
 * Expects the loss, the failover and the return once each in the log, and also in the metrics, in the details
 * of /readyz and in /engines.
 */
async function expectFailoverReported(node: ClusterNode): Promise<void> {
  const [from, to] = [`127.0.0.1:${primary.port}`, `127.0.0.1:${standby.port}`];
  expect(connectionMessages(node)).toEqual([
    expect.stringMatching(/^PostgreSQL unreachable; reconnecting, .*: \S/),
    `PostgreSQL failed over from ${from} to ${to}; using the new primary`,
    `PostgreSQL reachable again at ${to}`,
  ]);
  const metrics = await node.app.metrics.registry.metrics();
  expect(metrics).toContain('keyward_database_reconnects_total 1\n');
  expect(metrics).toContain('keyward_database_failovers_total 1\n');
  expect(metrics).toContain(`keyward_database_connected{host="${to}"} 1\n`);
  expect(metrics).not.toContain(from);
  // On a busy machine heartbeats may be late.
  await expect.poll(async () => (await node.client.get('/readyz')).status, SOON).toBe(200);
  const { body } = await node.client.get('/readyz');
  expect(body.database).toEqual({
    connectedSince: expect.any(String),
    reconnects: 1,
    failovers: 1,
  });
  expect(Date.parse(body.database.connectedSince)).toBeGreaterThan(stoppedAt);
  const engines = (await node.client.get('/engines')).body;
  const { connectedSince: since, ...counts } = body.database;
  expect(engines.database).toEqual({
    engine: 'postgres',
    connection: { address: to, isConnected: true, since, ...counts },
  });
  await expect
    .poll(async () => (await node.client.get('/engines')).body.changes, SOON)
    .toMatchObject({ nodes: 2, isConnected: true });
}

it('nodes follow a failover automatically: no acknowledged change is lost, no revoked key is valid', {
  timeout: timeoutMs,
}, async () => {
  const random = new SeededRandom(runSeed());
  const ledger = new ChangeLedger(random);
  const settle = ledger.hammer(clients().flatMap((client) => Array(WRITERS_PER_NODE).fill(client)));
  await expect.poll(() => ledger.acknowledged, SOON).toBeGreaterThan(50);
  stoppedAt = Date.now();
  await primary.stop('immediate');
  const refusedBefore = ledger.refused;
  await expect.poll(() => ledger.refused - refusedBefore, SOON).toBeGreaterThan(4);

  await query(standby, "alter system set synchronous_standby_names = ''");
  await query(standby, 'select pg_promote(true, 300)');
  const promotedAt = performance.now();
  await Promise.all(cluster.nodes.map((node) => expect.poll(() => isBack(node), SOON).toBe(true)));
  const backMs = performance.now() - promotedAt;
  await settle();
  for (const client of clients()) expect(await ledger.lostOn(client)).toEqual([]);
  for (const node of cluster.nodes) await expectFailoverReported(node);

  // A key revoked on one node is refused by the other: both listen on the new primary.
  const [a, b] = clients();
  const { key, id } = (await a!.post('/api-keys', { name: 'revoked later' })).body;
  await expect.poll(async () => (await b!.post(`/api-keys/auth/${key}`)).status, SOON).toBe(200);
  await a!.delete(`/api-keys/${id}`);
  await expect.poll(async () => (await b!.post(`/api-keys/auth/${key}`)).status, SOON).toBe(404);
  console.log(
    `failover: ${figure(ledger.acknowledged)} changes acknowledged, 0 lost; back ${figure(Math.round(backMs))} ms after the promotion`,
  );
});

it('nodes do not write to a former primary that returns', { timeout: timeoutMs }, async () => {
  await primary.stop('immediate');
  await query(standby, "alter system set synchronous_standby_names = ''");
  await query(standby, 'select pg_promote(true, 300)');
  await Promise.all(cluster.nodes.map((node) => expect.poll(() => isBack(node), SOON).toBe(true)));
  // The former primary does not know about the failover: it accepts writes on the old timeline.
  await primary.start();
  await query(primary, "alter system set synchronous_standby_names = ''");
  await query(primary, 'select pg_reload_conf()');
  const keysOn = async (server: PostgresServer) =>
    (await query(server, 'select count(*)::int as n from api_keys'))[0]!.n as number;
  const before = await keysOn(primary);
  // The nodes must open new connections, and a new node has never seen the promotion.
  await query(
    standby,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'keyward%'`,
  );
  const node = await cluster.addNode();
  for (const each of [...cluster.nodes, node])
    await expect.poll(() => isBack(each), SOON).toBe(true);
  expect(await keysOn(primary)).toBe(before);
  expect(await keysOn(standby)).toBeGreaterThan(before);
});

it('sessions on the former primary are replaced although it still runs', {
  timeout: timeoutMs,
}, async () => {
  const proxy = await TcpProxy.to('127.0.0.1', primary.port);
  const url = `postgres://keyward@127.0.0.1:${proxy.port},127.0.0.1:${standby.port}/postgres`;
  const storage = await openPostgres({ url, poolSize: 4, timeouts: LONG_TIMEOUTS });
  try {
    const portsRead = async () => {
      const read = () =>
        sql<{ port: number }>`select inet_server_port() as port, pg_sleep(0.1)`.execute(
          storage.point,
        );
      const all = await Promise.all(Array.from({ length: 4 }, read));
      return new Set(all.map(({ rows }) => rows[0]!.port));
    };
    expect(await portsRead()).toEqual(new Set([primary.port]));
    await query(standby, 'select pg_promote(true, 300)');
    // New connections to the former primary fail; the sessions to it stay.
    proxy.refuseNew();
    await storage.primary
      .connect(async () => {
        throw new Error('a new connection to the former primary failed');
      })
      .catch(() => {});
    expect(storage.server.failovers).toBe(1);
    expect(await portsRead()).toEqual(new Set([standby.port]));
  } finally {
    await storage.close();
    await proxy.close();
  }
});

it('a server behind the address of the primary is not used if its timeline is older', async () => {
  const { configs } = postgresAddress(
    `postgres://keyward@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`,
  );
  const found = new Primary(configs);
  const ended: number[] = [];
  const connectTo = (timeline: number) =>
    found.connect(async () => ({
      query: async () => ({ rows: [{ timeline }] }),
      end: () => ended.push(timeline),
    }));
  await connectTo(3);
  await expect(connectTo(2)).rejects.toThrow('None of the 2 PostgreSQL servers is the primary');
  expect(ended).toEqual([2]);
});
