import { hash, randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { ChangeBus } from '../../cluster/change-bus/change-bus.ts';
import { createMemoryChangeBus } from '../../cluster/change-bus/memory.ts';
import { AnotherNodeError, PostgresChangeBus } from '../../cluster/change-bus/postgres.ts';
import type { Counters, LocalCounters } from '../../cluster/counters/counters.ts';
import { MemoryCounters } from '../../cluster/counters/memory.ts';
import { PerNodeCounters } from '../../cluster/counters/per-node.ts';
import { RedisCounters } from '../../cluster/counters/redis.ts';
import type { ClusterReadings } from '../../http/metrics/cluster-metrics.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { DatabaseServer, Storage } from '../../storage/index.ts';
import { schemaVersion } from '../../storage/migrate.ts';
import { AddressError, postgresAddress } from '../../storage/postgres/address.ts';
import type { Primary } from '../../storage/postgres.ts';
import { SettingError } from '../config.ts';

/** How this node works with other nodes. */
export interface ClusterOptions {
  /** Where this node listens for changes: the same PostgreSQL, not through a pooler. */
  readonly listen?: Primary;
  /** How long this node may serve cached entries without contact to the change bus. */
  readonly staleSeconds: number;
  /** How long the change bus may be silent before this node reconnects. */
  readonly busSilenceMs?: number;
  /** Redis that counts rate limits for all nodes. */
  readonly redisUrl?: string;
  readonly redisTimeoutMs?: number;
  /** Each node enforces its share of every limit, so that several nodes can run without Redis. */
  readonly limitsPerNode: boolean;
}

export interface Cluster {
  readonly bus: ChangeBus;
  readonly counters: Counters;
  /** The windows of this process; none if Redis counts. */
  readonly local: LocalCounters;
  /** Whether windows exist only in this process, and must be saved for a restart. */
  readonly keepsWindows: boolean;
  /** Whether the long ones among them are saved while the server runs: nobody else counts them. */
  readonly savesLongWindows: boolean;
  /** Whether there can be no other nodes. */
  readonly isAlone: boolean;
  /** Nodes that are running, this one included. */
  nodes(): number;
  /** The newest schema that all other nodes know; 0: not known. */
  knownSchema(): number;
  /** Receives the windows that a stop or a move saved in the database. */
  readonly windowLoader: Pick<LocalCounters, 'load'>;
  readonly readings: ClusterReadings;
  /** Resolves when this node receives changes and has tried to reach Redis. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const SECOND_NODE =
  'Another node is already running on this database. Set KEYWARD_REDIS_URL on every node, so that they count rate limits together, or KEYWARD_RATE_LIMITS=per-node, so that each counts its share.';

/**
 * `directUrl` is the address of the server itself, if `url` is the address of a transaction pooler.
 * `setting` is the name of the setting that contains `url`, for error messages.
 */
export async function openServerStorage(
  url: string,
  directUrl: string | null,
  poolSize: number,
  setting = 'KEYWARD_DATABASE_URL',
): Promise<{ storage: Storage; listen: Primary }> {
  readAddress(setting, url);
  if (directUrl !== null) readAddress('KEYWARD_DATABASE_DIRECT_URL', directUrl);
  // Loaded on demand: an embedded node does not need it.
  const { openPostgres } = await import('../../storage/postgres.ts');
  try {
    const storage = await openPostgres({
      url,
      ...(directUrl !== null && { directUrl }),
      poolSize,
    });
    return { storage, listen: storage.primary };
  } catch (error) {
    throw new SettingError((error as Error).message);
  }
}

function readAddress(name: string, url: string): void {
  try {
    postgresAddress(url);
  } catch (error) {
    if (error instanceof AddressError) throw new SettingError(`${name} ${error.message}.`);
    throw error;
  }
}

const REDIS_KEEPS_NOTHING =
  'Redis stores nothing on disk: when it restarts, all windows of limits begin anew, also those of a month; set its `appendonly` to `yes`, or configure `save`';

export function buildCluster(
  options: ClusterOptions,
  parts: { storage: Storage; secrets: Secrets; clock: Clock; log: FastifyBaseLogger },
): Cluster {
  const { listen, redisUrl, limitsPerNode } = options;
  const savesLongWindows = listen === undefined && redisUrl === undefined;
  const local = new MemoryCounters({ isSaved: savesLongWindows });
  const database = parts.storage.server ?? null;
  if (database !== null) logConnection(database, options, parts.log);
  const bus = listen === undefined ? null : createPostgresBus(listen, options, parts.log);
  const nodes = () => bus?.nodes ?? 1;
  const redis = redisUrl === undefined ? null : createRedis(redisUrl, options, nodes, parts);
  return {
    bus: bus ?? createMemoryChangeBus(),
    counters: redis ?? (bus === null ? local : new PerNodeCounters(local, nodes)),
    local,
    keepsWindows: redis === null,
    savesLongWindows,
    nodes,
    knownSchema: () => bus?.knownSchema ?? Number.POSITIVE_INFINITY,
    isAlone: bus === null || !(redis !== null || limitsPerNode),
    windowLoader: redis ?? local,
    readings: { database, bus, redis },
    async start() {
      try {
        await bus?.start({ alone: redis === null && !limitsPerNode });
      } catch (error) {
        if (error instanceof AnotherNodeError) throw new SettingError(SECOND_NODE);
        throw error;
      }
      await redis?.start();
      if (await redis?.keepsNothing()) parts.log.warn(REDIS_KEEPS_NOTHING);
    },
    async stop() {
      await redis?.stop();
      bus?.stop();
    },
  };
}

function logConnection(
  database: DatabaseServer,
  { staleSeconds }: ClusterOptions,
  log: FastifyBaseLogger,
): void {
  database.subscribe({
    onLost: ({ message }) =>
      log.warn(
        `PostgreSQL unreachable; reconnecting, cached keys are served for at most ${staleSeconds} s: ${message}`,
      ),
    onRestored: () => log.info(`PostgreSQL reachable again at ${database.host}`),
    onFailover: (from, to) =>
      log.warn(`PostgreSQL failed over from ${from} to ${to}; using the new primary`),
  });
}

function createPostgresBus(
  primary: Primary,
  { staleSeconds, busSilenceMs }: ClusterOptions,
  log: FastifyBaseLogger,
): PostgresChangeBus {
  return new PostgresChangeBus({
    primary,
    nodeId: randomBytes(16).toString('base64url'),
    schemaVersion,
    staleMs: staleSeconds * 1000,
    ...(busSilenceMs !== undefined && { silenceMs: busSilenceMs }),
    onLost: (err) =>
      log.error(
        { err },
        `change bus disconnected; reconnecting, cached keys are served for at most ${staleSeconds} s`,
      ),
    onRestored: () => log.info('change bus connected again; cache cleared'),
    onClock(state, offsetMs) {
      const seconds = (offsetMs / 1000).toFixed(1);
      const text = `the clock of this node differs from PostgreSQL's by ${seconds} s`;
      if (state === 'right') log.info('the clock of this node agrees with PostgreSQL again');
      else if (state === 'suspect') log.warn(`${text}; set both by NTP`);
      else
        log.error(`${text}, and the other nodes agree with PostgreSQL; not ready until it is set`);
    },
  });
}

function createRedis(
  url: string,
  { redisTimeoutMs }: ClusterOptions,
  nodes: () => number,
  { secrets, clock, log }: { secrets: Secrets; clock: Clock; log: FastifyBaseLogger },
): RedisCounters {
  const parts = {
    url,
    // Unique to this installation, and reveals nothing about its secret.
    prefix: `keyward:${hash('sha256', `redis:${secrets.checkValue}`, 'base64url').slice(0, 16)}`,
    ...(redisTimeoutMs !== undefined && { timeoutMs: redisTimeoutMs }),
    nodes,
    clock,
    onUnavailable: (cause: string) =>
      log.warn(
        `A Redis server does not reply (${cause}); counting its limits per node until it does`,
      ),
    onRestored: () => log.info('Redis replies; counting all limits across all nodes'),
    onFailover: (from: string, to: string) =>
      log.info(`Redis failed over from ${from} to ${to}; counting limits there`),
  };
  try {
    return new RedisCounters(parts);
  } catch (error) {
    throw new SettingError(`KEYWARD_REDIS_URL ${(error as Error).message}.`);
  }
}
