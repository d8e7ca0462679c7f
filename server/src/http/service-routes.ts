import Type, { type Static } from 'typebox';
import { defineRoute, type Route, Written } from '../kernel/route.ts';
import { strict, Time } from '../kernel/schemas.ts';
import { PRODUCT } from './openapi.ts';
import { tryLater } from './responses/errors.ts';

/** Whether this node should receive requests, and if not, why. */
export type Readiness = (
  work: Work,
) => Promise<
  { ready: true; details: ReadyDetails } | { ready: false; reason: (typeof REASONS)[number] }
>;

const WORK = ['all', 'validations'] as const;
type Work = (typeof WORK)[number];

const REASONS = [
  'starting_up',
  'shutting_down',
  'storage_full',
  'storage_unavailable',
  'node_isolated',
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
          connectedSince: Time,
          reconnects: Type.Integer({
            description:
              'How often this node lost PostgreSQL and reached it again, since it started',
          }),
          failovers: Type.Integer({
            description: 'How often it followed a failover to another server',
          }),
        },
        { description: 'The connection to PostgreSQL; not with SQLite' },
      ),
    ),
    rateLimits: Type.Optional(
      Type.Enum([...RATE_LIMITS], {
        description:
          'With Redis only. `per-node`: Redis cannot be reached, and this node enforces its share of each limit.',
      }),
    ),
  },
  { title: 'Ready' },
);

export type ReadyDetails = Omit<Static<typeof Ready>, 'status'>;

/** Health, readiness and version of a node, without a credential. */
export const serviceRoutes = (readiness: Readiness): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/healthz',
    operationId: 'health',
    tag: 'service',
    summary: 'Whether the process is alive',
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
    summary: 'Whether the node should be sent work',
    description:
      'While the disk of the database is full, changes are refused and validations are answered: `for=validations` is then still 200.',
    access: 'public',
    query: strict({
      for: Type.Optional(
        Type.Enum([...WORK], {
          default: 'all',
          description: '`validations`: ignore what hinders only changes',
        }),
      ),
    }),
    reply: Ready,
    status: 200,
    errors: REASONS,
    async handle({ query }) {
      const state = await readiness(query.for ?? 'all');
      if (!state.ready) throw tryLater(state.reason);
      return { status: 'ready', ...state.details };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/',
    operationId: 'product',
    tag: 'service',
    summary: 'Name and version',
    description: 'A browser is sent to the dashboard instead.',
    access: 'public',
    reply: Type.Object({ name: Type.String(), version: Type.String() }, { title: 'Product' }),
    status: 200,
    handle: async ({ headers }) =>
      headers.accept?.includes('text/html') ? new Written(TO_DASHBOARD) : PRODUCT,
  }),
];
