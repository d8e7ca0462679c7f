import Type from 'typebox';
import { KeywardError } from '../../kernel/errors.ts';
import { defineRoute, type Route } from '../../kernel/route.ts';
import { Id, strict } from '../../kernel/schemas.ts';
import type { Reporter, UsageReports } from './counting/usage-reports.ts';
import { KEY_OUTCOMES } from './outcomes.ts';
import {
  ApiKeyTotals,
  columnsOf,
  ProjectTotals,
  TotalsQuery,
  UsageQuery,
  UsageRow,
} from './schema.ts';
import type { AnalyticsService } from './service.ts';

export const analyticsRoutes = (service: AnalyticsService, reports: UsageReports): Route[] => [
  getApiKeyTotals(service),
  getProjectTotals(service),
  getUsage(service),
  reportUsage(reports),
];

const getApiKeyTotals = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/api-key-totals',
    operationId: 'getApiKeyTotals',
    tag: 'auth_api_v1',
    summary: 'How often each API key was validated',
    description:
      'One row a key, or a key and bucket. Without a `dateGrouping` every key is listed; with one, only buckets in which a key was validated, or all of them when a single `key` is asked for. Ends are widened to whole buckets; without a grouping to whole hours, and to whole days where hours are no longer kept.',
    access: 'analytics:read',
    query: TotalsQuery,
    reply: ApiKeyTotals,
    status: 200,
    list: true,
    csv: columnsOf(ApiKeyTotals),
    errors: ['key_not_found', 'project_not_found', 'project_required'],
    handle: ({ actor, query }) => service.keyTotals(actor.principal, query),
  });

const getProjectTotals = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/project-totals',
    operationId: 'getProjectTotals',
    tag: 'analytics',
    summary: 'How often the keys of each project were validated',
    description:
      'One row a project, or a project and bucket. What a key counted stays in the sum of its project when the key is erased. With `key`, `customAccountId` or `customUserId` only those keys are summed up.',
    access: 'analytics:read',
    query: TotalsQuery,
    reply: ProjectTotals,
    status: 200,
    list: true,
    csv: columnsOf(ProjectTotals),
    errors: ['key_not_found', 'project_not_found', 'project_required'],
    handle: ({ actor, query }) => service.projectTotals(actor.principal, query),
  });

const getUsage = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/usage',
    operationId: 'getUsage',
    tag: 'analytics',
    summary: 'Validations over time, by key, customer, outcome or access key',
    description:
      'Rows by group, then by date. Buckets in which nothing happened are left out, but not for a single `key` and not by outcome. Minutes and hours are those of UTC; days, weeks and months those of `timezone`.',
    access: 'analytics:read',
    query: UsageQuery,
    reply: UsageRow,
    status: 200,
    list: true,
    csv: columnsOf(UsageRow),
    errors: ['key_not_found', 'project_not_found', 'project_required'],
    handle: ({ actor, query }) => service.usage(actor.principal, query),
  });

/** Shorter than the time for which the number of a sender's last report is kept. */
const AGO_MS_MAX = 12 * 3_600_000;

const Body = strict(
  {
    reporter: Type.String({
      pattern: '^[A-Za-z0-9_-]{16,64}$',
      description: 'Random, and the same for all reports of one process.',
    }),
    number: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Counts up from report to report. One that was had already is passed over.',
    }),
    agoMs: Type.Integer({
      minimum: 0,
      maximum: AGO_MS_MAX,
      description: 'How long ago it was counted.',
    }),
    counts: Type.Array(
      strict({
        keyId: Id('key', 'the key'),
        outcome: Type.Union(KEY_OUTCOMES.map((outcome) => Type.Literal(outcome))),
        count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      }),
      { minItems: 1, maxItems: 500 },
    ),
  },
  'UsageReport',
);

const Received = Type.Object({ received: Type.Literal(true) }, { title: 'UsageReceived' });

const reportUsage = (reports: UsageReports) =>
  defineRoute({
    method: 'POST',
    path: '/usage',
    operationId: 'reportUsage',
    tag: 'analytics',
    summary: 'Report uses of keys that were validated in your own process',
    description:
      'Counted once for each `reporter` and `number`, however often it is sent: send reports one after the other, and the same one again until it is answered. Keys that are not yours are ignored. An access key may report under 10,000 names in a day: use one name for the life of a process.',
    access: 'keys:validate',
    unmetered: true,
    body: Body,
    reply: Received,
    status: 200,
    errors: ['too_many_reporters'],
    async handle(call) {
      const { principal } = call.actor;
      if (principal.kind !== 'access-key') throw new KeywardError('scope_missing');
      await reports.accept(principal as unknown as Reporter, call.body);
      return { received: true };
    },
  });
