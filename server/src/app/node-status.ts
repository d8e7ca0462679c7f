import type { ClusterReadings } from '../http/metrics/cluster-metrics.ts';
import { storageCode } from '../http/responses/errors.ts';
import type { Engines, Readiness, ReadyDetails } from '../http/service-routes.ts';
import { isoTime } from '../kernel/time/clock.ts';
import type { Storage } from '../storage/index.ts';
import type { SpaceWatch } from '../storage/space-watch.ts';
import type { Cluster } from './composition/cluster.ts';

/** A node reports ready only while `serving`. */
export type Phase = 'starting' | 'serving' | 'stopping';

const READS_STARVE =
  'Lists and reports wait for the database, because slow ones of several accounts occupy its readers. Validations and changes are not affected.';

export function readinessOf(
  { storage, phase }: { readonly storage: Storage; readonly phase: () => Phase },
  { bus, readings }: Cluster,
  space: SpaceWatch,
): Readiness {
  return async (work) => {
    const current = phase();
    if (current !== 'serving')
      return { ready: false, reason: current === 'starting' ? 'starting_up' : 'shutting_down' };
    if (!bus.isUpToDate()) return { ready: false, reason: 'node_isolated' };
    if (readings.bus?.clockState === 'off') return { ready: false, reason: 'clock_off' };
    const details = readyDetails(readings);
    // Cached keys are validated without PostgreSQL as long as no change can have been missed.
    if (work === 'validations' && readings.database !== null) return { ready: true, details };
    try {
      await storage.ping();
      if (work === 'all') await space.assertFree();
      if (work === 'all' && storage.readStatus().request.isStarving)
        return { ready: false, reason: 'overloaded', message: READS_STARVE };
      return { ready: true, details };
    } catch (error) {
      return { ready: false, reason: storageCode(error) };
    }
  };
}

function readyDetails({ database, redis }: ClusterReadings): ReadyDetails {
  return {
    ...(database !== null && {
      database: {
        ...(database.isConnected && { connectedSince: isoTime(database.since) }),
        reconnects: database.reconnects,
        failovers: database.failovers,
      },
    }),
    ...(redis !== null && { rateLimits: redis.isShared ? 'shared' : 'per-node' }),
  };
}

/** The state of the database, rate-limit counters and change bus of this node, for `GET /engines`. */
export function engineState(engine: Storage['engine'], { readings, ...cluster }: Cluster): Engines {
  const { database, bus, redis } = readings;
  return {
    database: {
      engine,
      connection: database && {
        address: database.host,
        isConnected: database.isConnected,
        since: isoTime(database.since),
        reconnects: database.reconnects,
        failovers: database.failovers,
      },
    },
    rateLimits: {
      counted: (redis?.isShared ?? cluster.isAlone) ? 'shared' : 'per-node',
      redis: redis && {
        mode: redis.mode,
        addresses: [...redis.addresses],
        isConnected: redis.isShared,
        since: isoTime(redis.since),
        reconnects: redis.reconnects,
        failovers: redis.failovers,
      },
    },
    changes: bus && {
      nodes: bus.nodes,
      isConnected: bus.isConnected,
      behindMs: Math.min(Math.round(bus.behindMs), Number.MAX_SAFE_INTEGER),
    },
  };
}
