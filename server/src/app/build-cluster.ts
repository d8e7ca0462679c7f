import { hash, randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { ClientConfig } from 'pg';
import type { ChangeBus } from '../cluster/change-bus.ts';
import type { Counters, LocalCounters } from '../cluster/counters.ts';
import { createMemoryChangeBus } from '../cluster/memory-change-bus.ts';
import { MemoryCounters } from '../cluster/memory-counters.ts';
import { AnotherNode, PostgresChangeBus } from '../cluster/postgres-change-bus.ts';
import { RedisCounters } from '../cluster/redis-counters.ts';
import { ShareCounters } from '../cluster/share-counters.ts';
import type { ClusterReadings } from '../http/cluster-metrics.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Secrets } from '../kernel/crypto.ts';
import type { Storage } from '../storage/index.ts';
import { AddressError, postgresAddress } from '../storage/postgres/address.ts';
import { SettingError } from './config.ts';

/** How this node meets others; without it the node is alone with its database. */
export interface ClusterOptions {
  /** Where changes are heard of: the same PostgreSQL, not through a pooler. */
  readonly listen?: ClientConfig;
  /** How long this node may serve what it remembers without hearing of changes. */
  readonly staleSeconds: number;
  /** Where limits are counted for all nodes. */
  readonly redisUrl?: string;
  readonly redisTimeoutMs?: number;
  /** Each node counts its share of every limit: then there may be several without Redis. */
  readonly limitsPerNode: boolean;
}

export interface Cluster {
  readonly bus: ChangeBus;
  readonly counters: Counters;
  /** The windows of this process: all there are, or those of its share. */
  readonly local: LocalCounters;
  /** Whether windows live in this process alone, and must be carried over a restart. */
  readonly keepsWindows: boolean;
  /** Where windows that a stop or a move left in the database go on. */
  readonly resumes: Pick<LocalCounters, 'load'>;
  readonly readings: ClusterReadings;
  /** Ends when this node hears the others, and knows whether Redis is there. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const SECOND_NODE =
  'Another node is already running on this database. Set KEYWARD_REDIS_URL on every node, so that they count rate limits together, or KEYWARD_RATE_LIMITS=per-node, so that each counts its share.';

/** `directUrl` leads to the server itself, when `url` leads to a transaction pooler. */
export async function openServerStorage(
  url: string,
  directUrl: string | null,
  poolSize: number,
): Promise<{ storage: Storage; listen: ClientConfig }> {
  const address = readAddress('KEYWARD_DATABASE_URL', url);
  const direct =
    directUrl === null ? address : readAddress('KEYWARD_DATABASE_DIRECT_URL', directUrl);
  // Loaded here: an embedded node need not pay for it.
  const { openPostgres } = await import('../storage/postgres.ts');
  try {
    const storage = await openPostgres({ url, isPooled: directUrl !== null, poolSize });
    return { storage, listen: direct.config };
  } catch (error) {
    throw new SettingError((error as Error).message);
  }
}

function readAddress(name: string, url: string) {
  try {
    return postgresAddress(url);
  } catch (error) {
    if (error instanceof AddressError) throw new SettingError(`${name} ${error.message}.`);
    throw error;
  }
}

export function buildCluster(
  options: ClusterOptions,
  parts: { secrets: Secrets; clock: Clock; log: FastifyBaseLogger },
): Cluster {
  const { listen, redisUrl, limitsPerNode } = options;
  const local = new MemoryCounters();
  const bus = listen === undefined ? null : createPostgresBus(listen, options, parts.log);
  const share = new ShareCounters(local, () => bus?.nodes ?? 1);
  const redis = redisUrl === undefined ? null : createRedis(redisUrl, options, share, parts);
  return {
    bus: bus ?? createMemoryChangeBus(),
    counters: redis ?? (bus === null ? local : share),
    local,
    keepsWindows: redis === null,
    resumes: redis ?? local,
    readings: { bus, redis },
    async start() {
      try {
        await bus?.start({ alone: redis === null && !limitsPerNode });
      } catch (error) {
        if (error instanceof AnotherNode) throw new SettingError(SECOND_NODE);
        throw error;
      }
      await redis?.start();
    },
    async stop() {
      await redis?.stop();
      bus?.stop();
    },
  };
}

function createPostgresBus(
  config: ClientConfig,
  { staleSeconds }: ClusterOptions,
  log: FastifyBaseLogger,
): PostgresChangeBus {
  return new PostgresChangeBus({
    config,
    nodeId: randomBytes(16).toString('base64url'),
    staleMs: staleSeconds * 1000,
    onLost: (err) =>
      log.error({ err, staleSeconds }, 'changes of other nodes are not heard; reconnecting'),
    onBack: () => log.info('changes of other nodes are heard again; all that was held is dropped'),
  });
}

function createRedis(
  url: string,
  { redisTimeoutMs }: ClusterOptions,
  share: ShareCounters,
  { secrets, clock, log }: { secrets: Secrets; clock: Clock; log: FastifyBaseLogger },
): RedisCounters {
  return new RedisCounters({
    url,
    // Of this installation alone, and telling nothing of its secret.
    prefix: `keyward:${hash('sha256', `redis:${secrets.checkValue}`, 'base64url').slice(0, 16)}`,
    ...(redisTimeoutMs !== undefined && { timeoutMs: redisTimeoutMs }),
    share,
    clock,
    onAway: (err) =>
      log.warn({ err }, 'Redis is away: limits are counted on this node, each divided by nodes'),
    onBack: () => log.info('Redis answers: limits are counted over all nodes'),
  });
}
