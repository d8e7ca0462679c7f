import Type, { type Static } from 'typebox';
import { requireScope } from '../kernel/authority.ts';
import { defineRoute, RawResponse, type Route } from '../kernel/route.ts';
import { nullable, strict, Time } from '../kernel/schemas.ts';
import { PRODUCT } from './openapi/document.ts';
import { tryLater } from './responses/errors.ts';

/** Whether this node should receive requests, and if not, why. */
export type Readiness = (
  work: Work,
) => Promise<
  | { ready: true; details: ReadyDetails }
  | { ready: false; reason: (typeof REASONS)[number]; message?: string }
>;

const WORK = ['all', 'validations'] as const;
type Work = (typeof WORK)[number];

const REASONS = [
  'starting_up',
  'shutting_down',
  'storage_full',
  'storage_unavailable',
  'too_many_database_connections',
  'node_isolated',
  'overloaded',
  'clock_off',
] as const;

const RATE_LIMITS = ['shared', 'per-node'] as const;

const TO_DASHBOARD = {
  status: 302,
  headers: ['location', '/dashboard/', 'vary', 'accept'],
  body: '',
};

const Status = Type.Object({ status: Type.String() }, { title: 'Status' });

const Ready = Type.Object(
  {
    status: Type.String(),
    database: Type.Optional(
      Type.Object(
        {
          connectedSince: Type.Optional({
            ...Time,
            description: 'Missing while PostgreSQL is unreachable',
          }),
          reconnects: Type.Integer({
            description:
              'How often this node lost PostgreSQL and reached it again, since it started',
          }),
          failovers: Type.Integer({
            description: 'How often this node followed a failover to another server',
          }),
        },
        { description: 'The connection to PostgreSQL; missing with SQLite' },
      ),
    ),
    rateLimits: Type.Optional(
      Type.Enum([...RATE_LIMITS], {
        description:
          'With Redis only. `per-node`: at least one Redis server does not reply, and this node enforces its share of the limits on that server.',
      }),
    ),
  },
  { title: 'Ready' },
);

export type ReadyDetails = Omit<Static<typeof Ready>, 'status'>;

const Counts = {
  reconnects: Type.Integer({ description: 'How often the connection was lost and restored' }),
  failovers: Type.Integer({ description: 'How often the node followed a failover' }),
};
const SinceStart = (what: string) => ({
  description: `${what}. Counts are since the node started.`,
});

const EngineState = Type.Object(
  {
    database: Type.Object({
      engine: Type.Enum(['sqlite', 'postgres']),
      connection: nullable(
        Type.Object(
          {
            address: Type.String({ description: 'Host and port of the primary' }),
            isConnected: Type.Boolean(),
            since: Time,
            ...Counts,
          },
          SinceStart('PostgreSQL only; null with SQLite'),
        ),
      ),
    }),
    rateLimits: Type.Object({
      counted: Type.Enum([...RATE_LIMITS], {
        description:
          '`shared`: across all nodes. `per-node`: each node enforces its share of each limit; in a Redis Cluster only of the limits on servers that do not reply.',
      }),
      redis: nullable(
        Type.Object(
          {
            mode: Type.Enum(['server', 'sentinel', 'cluster']),
            addresses: Type.Array(Type.String(), { description: 'The configured hosts' }),
            isConnected: Type.Boolean({
              description:
                'false: at least one server does not reply, and its limits are counted per node',
            }),
            since: Time,
            ...Counts,
          },
          SinceStart('null without Redis'),
        ),
      ),
    }),
    changes: nullable(
      Type.Object(
        {
          nodes: Type.Integer({ description: 'Running nodes, this one included' }),
          isConnected: Type.Boolean(),
          behindMs: Type.Integer({
            description: 'Every change made more than this many milliseconds ago has been received',
          }),
        },
        { description: 'Changes made by other nodes; null with SQLite' },
      ),
    ),
  },
  { title: 'EngineState' },
);
export type Engines = Static<typeof EngineState>;

/** Health, readiness, engines and version of a node. */
export const serviceRoutes = (readiness: Readiness, engines: () => Engines): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/healthz',
    operationId: 'health',
    tag: 'service',
    summary: 'Whether the process is alive',
    description:
      'Always 200 while the process can answer at all, whatever the state of its database. For the liveness probe of an orchestrator; `/readyz` says whether the node can serve.',
    access: 'public',
    reply: Status,
    status: 200,
    handle: async () => ({ status: 'ok' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/readyz',
    operationId: 'readiness',
    tag: 'service',
    summary: 'Whether the node is ready for requests',
    description:
      'While the disk of the database is full, changes are rejected, but keys that do not use credits are still validated. While PostgreSQL is unreachable, cached keys are validated for `KEYWARD_STALE_SECONDS`. While lists wait 3 seconds for the database, `overloaded` says so; validations are not affected. `for=validations` returns 200 in these three cases.',
    access: 'public',
    query: strict({
      for: Type.Optional(
        Type.Enum([...WORK], {
          default: 'all',
          description:
            '`validations`: ready also while the disk is full, lists wait for the database, or PostgreSQL is unreachable and cached keys are validated',
        }),
      ),
    }),
    reply: Ready,
    status: 200,
    errors: REASONS,
    async handle({ query }) {
      const state = await readiness(query.for ?? 'all');
      if (!state.ready) throw tryLater(state.reason, undefined, state.message);
      return { status: 'ready', ...state.details };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/engines',
    operationId: 'getEngines',
    tag: 'service',
    summary: 'Retrieve the state of the database and of Redis',
    description:
      'As seen by the node that responds. Addresses contain no credentials. Needs access to the whole account.',
    access: 'accounts:write',
    reply: EngineState,
    status: 200,
    errors: ['level_too_low'],
    async handle({ actor: { principal } }) {
      if (principal.kind !== 'operator') {
        const { accountId } = principal;
        requireScope(
          principal,
          'accounts:write',
          { accountId, projectId: null },
          'account_not_found',
        );
      }
      return engines();
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/',
    operationId: 'product',
    tag: 'service',
    summary: 'Name and version',
    description: 'A browser is sent to the dashboard instead.',
    example: { response: { name: 'Keyward', version: '1.0.0' } },
    access: 'public',
    reply: Type.Object({ name: Type.String(), version: Type.String() }, { title: 'Product' }),
    status: 200,
    handle: async ({ headers }) =>
      headers.accept?.includes('text/html') ? new RawResponse(TO_DASHBOARD) : PRODUCT,
  }),
];
