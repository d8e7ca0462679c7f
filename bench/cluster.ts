import { startPostgresServer } from '../server/test/harness/postgres/server.ts';
import { TestRedis } from '../server/test/harness/redis/redis.ts';
import { LOAD_CORE, pin } from './processes.ts';

interface Backends {
  readonly databaseUrl: string;
  /** Settings of a node. */
  readonly env: Readonly<Record<string, string>>;
}

const started: { dispose(): Promise<void> }[] = [];

/** PostgreSQL, with durable commits, and Redis, both on the core of the load generator. */
export async function startBackends(): Promise<Backends> {
  const postgres = await startPostgresServer({ durable: true });
  started.push(postgres);
  const redis = await TestRedis.start();
  started.push(redis);
  pin(postgres.pid(), LOAD_CORE);
  pin(redis.pid, LOAD_CORE);
  return {
    databaseUrl: postgres.url,
    env: { KEYWARD_DATABASE_URL: postgres.url, KEYWARD_REDIS_URL: redis.url },
  };
}

/** Called after each scenario. */
export async function stopBackends(): Promise<void> {
  for (const backend of started.splice(0).toReversed()) await backend.dispose();
}
