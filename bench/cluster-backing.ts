import { startPostgresServer } from '../server/test/harness/postgres-server.ts';
import { TestRedis } from '../server/test/harness/redis.ts';
import { LOAD_CORE, pin } from './children.ts';

/** What a cluster stands on: PostgreSQL that syncs its commits, and Redis. */
interface Backing {
  readonly databaseUrl: string;
  /** The settings of a node. */
  readonly env: Readonly<Record<string, string>>;
  dispose(): Promise<void>;
}

let backing: Promise<Backing> | null = null;

/** One for all scenarios of a run, with what the others left in it: at rest it costs nothing. */
export function sharedBacking(): Promise<Backing> {
  backing ??= start();
  return backing;
}

/** At the end of a run. */
export async function endBacking(): Promise<void> {
  // One that could not be started has failed its scenario already.
  const started = await backing?.catch(() => null);
  await started?.dispose();
  backing = null;
}

async function start(): Promise<Backing> {
  const [postgres, redis] = await Promise.all([
    startPostgresServer({ durable: true }),
    TestRedis.start(),
  ]);
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
