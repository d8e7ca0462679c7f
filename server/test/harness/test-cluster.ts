import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { pino } from 'pino';
import { type Application, buildApplication } from '../../src/app/composition/application.ts';
import { firstBoot } from '../../src/app/first-boot.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import type { Storage } from '../../src/storage/index.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openPostgres, Primary } from '../../src/storage/postgres.ts';
import { BUS_SILENCE_MS, LONG_TIMEOUTS } from './long-timeouts.ts';
import { type FreshPostgres, freshPostgres } from './postgres/postgres.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { TEST_ROOT_SECRET } from './test-app.ts';
import { createTestClient, type TestClient } from './test-client.ts';

/** One node: an application with its own storage, and a bus connection that a test can cut. */
export interface ClusterNode {
  readonly app: Application;
  readonly storage: Storage;
  readonly url: string;
  readonly client: TestClient;
  readonly log: readonly string[];
  /** The proxy of the connection on which the node receives changes. */
  readonly bus: TcpProxy;
  stop(): Promise<void>;
}

export interface TestCluster {
  readonly database: FreshPostgres;
  readonly nodes: readonly ClusterNode[];
  readonly accessKey: string;
  readonly accountId: string;
  readonly projectId: string;
  /** Starts another node on the same database. */
  addNode(): Promise<ClusterNode>;
  /** Runs a statement as superuser on a separate connection. */
  administer(statement: string): Promise<readonly Record<string, unknown>[]>;
  dispose(): Promise<void>;
}

export interface ClusterSetup {
  readonly nodes?: number;
  /** An empty database. Default: a new one on the server that all tests share. */
  readonly database?: FreshPostgres;
  readonly redisUrl?: string;
  readonly redisTimeoutMs?: number;
  readonly limitsPerNode?: boolean;
  readonly staleSeconds?: number;
  /** Default: 60 s. Tests of a lost bus set the 1 s of production. */
  readonly busSilenceMs?: number;
  readonly cacheBytes?: number;
  /** If set, webhooks are delivered, and these addresses are allowed. */
  readonly webhookAllow?: readonly string[];
  readonly deliveryLeaseMs?: number;
}

/**
 * Starts several nodes in this process, on one real PostgreSQL database and, if `redisUrl` is set, one
 * real Redis. The Redis timeout defaults to 5 s, because a busy machine may need more than the 50 ms of
 * production, and most tests are about the counts.
 */
export async function startCluster(setup: ClusterSetup = {}): Promise<TestCluster> {
  const database = setup.database ?? (await freshPostgres());
  const secrets = deriveSecrets(TEST_ROOT_SECRET);
  const first = await openPostgres({ url: database.url, poolSize: 2, timeouts: LONG_TIMEOUTS });
  await migrate(first, Date.now());
  const { accessKey } = (await firstBoot(first, secrets, createIds(), Date.now(), null))!;
  const project = await first.point.selectFrom('projects').selectAll().executeTakeFirstOrThrow();
  await first.close();

  const nodes: ClusterNode[] = [];
  const addNode = async () => {
    const node = await startNode(database, setup, accessKey);
    nodes.push(node);
    return node;
  };
  for (let n = 0; n < (setup.nodes ?? 3); n++) await addNode();
  return {
    database,
    nodes,
    accessKey,
    accountId: project.account_id,
    projectId: project.id,
    addNode,
    administer: (statement) => administer(database.url, statement),
    async dispose() {
      await Promise.all(nodes.map((node) => node.stop()));
      await database.dispose();
    },
  };
}

async function startNode(
  database: FreshPostgres,
  setup: ClusterSetup,
  accessKey: string,
): Promise<ClusterNode> {
  const [firstServer, ...otherServers] = serversOf(database.url);
  const { hostname, port } = new URL(firstServer!);
  const bus = await TcpProxy.to(hostname, Number(port));
  const storage = await openPostgres({
    url: database.url,
    poolSize: 4,
    timeouts: LONG_TIMEOUTS,
  });
  const log: string[] = [];
  const app = buildApplication({
    storage,
    secrets: deriveSecrets(TEST_ROOT_SECRET),
    ids: createIds(),
    clock: Date.now,
    log: pino({ level: 'trace' }, { write: (line: string) => log.push(line) }),
    managementLimit: 1_000_000,
    trustedProxies: [],
    cacheBytes: setup.cacheBytes ?? 16 * 1024 * 1024,
    webhookAllow: setup.webhookAllow ?? [],
    ...(setup.deliveryLeaseMs !== undefined && { deliveryLeaseMs: setup.deliveryLeaseMs }),
    publicUrl: () => 'https://keyward.example',
    phase: () => 'serving',
    cluster: {
      listen:
        otherServers.length > 0
          ? storage.primary
          : new Primary([{ connectionString: bus.via(database.url) }]),
      staleSeconds: setup.staleSeconds ?? 60,
      busSilenceMs: setup.busSilenceMs ?? BUS_SILENCE_MS,
      redisTimeoutMs: setup.redisTimeoutMs ?? 5_000,
      limitsPerNode: setup.limitsPerNode ?? false,
      ...(setup.redisUrl !== undefined && { redisUrl: setup.redisUrl }),
    },
  });
  const stop = async () => {
    app.server.server.closeAllConnections();
    await app.server.close();
    await Promise.all([app.replays.stop(), app.signals.stop(), app.deliveries.stop()]);
    await app.tally.stop();
    await app.credits.stop();
    await app.cluster.stop();
    await storage.close();
    await bus.close();
  };
  try {
    await app.cluster.start();
  } catch (error) {
    await stop();
    throw error;
  }
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  app.tally.start();
  app.credits.start();
  if (setup.webhookAllow) await app.deliveries.start();
  const url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`;
  return { app, storage, url, client: createTestClient(url, accessKey), log, bus, stop };
}

const serversOf = (url: string): string[] => {
  const [, start, hosts, rest] = /^(.*[@/])([^@/]+)(\/\w+)$/.exec(url)!;
  return hosts!.split(',').map((host) => `${start}${host}${rest}`);
};

async function administer(
  url: string,
  statement: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
