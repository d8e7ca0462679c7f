import { startPostgresServer } from '../server/test/harness/postgres-server.ts';
import { TestRedis } from '../server/test/harness/redis.ts';
import { LOAD_CORE, pin } from './children.ts';

/** What a cluster stands on: PostgreSQL that syncs its commits, and Redis. */
export interface Backing {
  readonly databaseUrl: string;
  /** The settings of a node. */
  readonly env: Readonly<Record<string, string>>;
  dispose(): Promise<void>;
}

export async function startBacking(): Promise<Backing> {
  const postgres = await startPostgresServer({ durable: true });
  const redis = await TestRedis.start();
  // Machines of their own elsewhere; here at least they do not take the server's core.
  pin(postgres.pid(), LOAD_CORE);
  pin(redis.pid, LOAD_CORE);
  return {
    databaseUrl: postgres.url,
    env: { KEYWARD_DATABASE_URL: postgres.url, KEYWARD_REDIS_URL: redis.url },
    async dispose() {
      await redis.dispose();
      await postgres.dispose();
    },
  };
}
