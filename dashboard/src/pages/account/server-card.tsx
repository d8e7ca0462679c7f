import type { ReactNode } from 'react';
import { type Engines, useEngines } from '../../api/server.ts';
import { DateTime } from '../../components/display/date-time.tsx';
import { StatusDot } from '../../components/display/status-dot.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Card } from '../../components/layout/card.tsx';
import { counted as countOf } from '../../text/numbers.ts';

const ENGINE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const REDIS_NAMES = { server: 'Redis', sentinel: 'Redis with Sentinel', cluster: 'Redis Cluster' };

/** The database and Redis, as seen by the node that responds. */
export function ServerCard() {
  const engines = useEngines();
  return (
    <Card
      title="Server"
      description="Where this installation stores its data and counts rate limits."
    >
      {engines.isError && <Failure error={engines.error} onRetry={() => engines.refetch()} />}
      {engines.data && (
        <dl className="flex flex-col divide-y divide-line">
          <DatabaseRow {...engines.data.database} />
          <RateLimitsRow {...engines.data.rateLimits} />
          {engines.data.changes && <NodesRow {...engines.data.changes} />}
        </dl>
      )}
    </Card>
  );
}

function DatabaseRow({ engine, connection }: Engines['database']) {
  return (
    <Row name="Database" value={ENGINE_NAMES[engine]} address={connection?.address}>
      {connection === null ? (
        <StatusDot tone="good">In the data directory of this server</StatusDot>
      ) : (
        <ConnectionState {...connection} lost="Unreachable" />
      )}
    </Row>
  );
}

function RateLimitsRow({ counted, redis }: Engines['rateLimits']) {
  const withoutRedis =
    counted === 'shared' ? 'Counted in memory' : 'Each node enforces its share of every limit';
  return (
    <Row
      name="Rate limits"
      value={redis === null ? 'Memory' : REDIS_NAMES[redis.mode]}
      address={redis?.addresses.join(', ')}
    >
      {redis === null ? (
        <StatusDot tone="good">{withoutRedis}</StatusDot>
      ) : (
        <ConnectionState
          {...redis}
          lost="A Redis server does not reply. Each node enforces its share of the limits on that server."
        />
      )}
    </Row>
  );
}

function NodesRow({ nodes, isConnected, behindMs }: NonNullable<Engines['changes']>) {
  const seconds = (behindMs / 1000).toFixed(1);
  return (
    <Row name="Nodes" value={String(nodes)}>
      {isConnected ? (
        <StatusDot tone="good">
          This node has all changes of the others up to {seconds} s ago
        </StatusDot>
      ) : (
        <StatusDot tone="bad">No changes received for {seconds} s</StatusDot>
      )}
    </Row>
  );
}

interface ConnectionStateProps {
  readonly isConnected: boolean;
  readonly since: string;
  readonly reconnects: number;
  readonly failovers: number;
  /** Text while it is not connected. */
  readonly lost: string;
}

function ConnectionState(connection: ConnectionStateProps) {
  const { isConnected, since, reconnects, failovers, lost } = connection;
  return (
    <>
      <StatusDot tone={isConnected ? 'good' : 'bad'}>{isConnected ? 'Connected' : lost}</StatusDot>
      <span className="text-faint text-sm">
        since <DateTime at={since} />
        {reconnects > 0 && `, ${countOf(reconnects, 'reconnect')}`}
        {failovers > 0 && `, ${countOf(failovers, 'failover')}`}
      </span>
    </>
  );
}

interface RowProps {
  readonly name: string;
  readonly value: string;
  readonly address?: string | undefined;
  readonly children: ReactNode;
}

function Row({ name, value, address, children }: RowProps) {
  return (
    <div className="grid gap-x-4 gap-y-1 py-2.5 sm:grid-cols-[8rem_1fr]">
      <dt className="text-muted">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
        <span>{value}</span>
        {address && <code className="min-w-0 break-all text-sm">{address}</code>}
        {children}
      </dd>
    </div>
  );
}
