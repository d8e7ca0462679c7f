import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { NetworkNamespace } from '../../../harness/network-namespace.ts';
import { administer } from '../../../harness/postgres/database.ts';
import { type PostgresServer, startPostgresServer } from '../../../harness/postgres/server.ts';
import { TestRedis } from '../../../harness/redis/redis.ts';
import { TcpProxy } from '../../../harness/tcp-proxy.ts';

/** The link between a node and its PostgreSQL and Redis, which can silently drop all data. */
export interface HalfOpenLink {
  /** How data is dropped; part of the test title. */
  readonly how: string;
  /** Addresses from the node's side of the link. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The network namespace of the node; undefined if it runs in the test's own. */
  readonly namespace?: string;
  readonly host: string;
  drop(): Promise<void>;
  heal(): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * Drops packets in a network namespace if one can be created, otherwise uses a proxy that stops
 * forwarding.
 */
export async function halfOpenLink(): Promise<HalfOpenLink> {
  const space = await NetworkNamespace.create();
  return space === null ? proxied() : namespaced(space);
}

async function namespaced(space: NetworkNamespace): Promise<HalfOpenLink> {
  const { near } = space.back;
  const listen_addresses = `127.0.0.1,${near}`;
  const server = await startPostgresServer({ settings: { listen_addresses } });
  appendFileSync(join(server.data, 'pg_hba.conf'), `host all all ${near}/30 trust\n`);
  await administer(server.url, 'select pg_reload_conf()');
  const redis = await TestRedis.start();
  await redis.command('CONFIG', 'SET', 'protected-mode', 'no');
  await redis.command('CONFIG', 'SET', 'bind', `127.0.0.1 ${near}`);
  return {
    how: 'packets dropped in a network namespace',
    databaseUrl: server.url.replace('127.0.0.1', near),
    redisUrl: redis.url.replace('127.0.0.1', near),
    namespace: space.name,
    host: space.front.far,
    drop: () => space.dropBack(),
    heal: () => space.healBack(),
    dispose: async () => {
      await disposeServers(server, redis);
      await space.dispose();
    },
  };
}

async function proxied(): Promise<HalfOpenLink> {
  const [server, redis] = [await startPostgresServer(), await TestRedis.start()];
  const proxies = [
    await TcpProxy.to('127.0.0.1', server.port),
    await TcpProxy.to('127.0.0.1', redis.port),
  ] as const;
  return {
    how: 'proxies that stop forwarding, since no network namespace can be created here',
    databaseUrl: proxies[0].via(server.url),
    redisUrl: proxies[1].via(redis.url),
    host: '127.0.0.1',
    drop: async () => {
      for (const proxy of proxies) proxy.freeze();
    },
    heal: async () => {
      for (const proxy of proxies) proxy.forward();
    },
    dispose: async () => {
      for (const proxy of proxies) await proxy.close();
      await disposeServers(server, redis);
    },
  };
}

async function disposeServers(server: PostgresServer, redis: TestRedis): Promise<void> {
  await server.dispose();
  await redis.dispose();
}
