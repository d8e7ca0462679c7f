import { KEY_OUTCOMES } from '@keyward/rules/outcomes.ts';
import Type from 'typebox';
import { KeywardError } from '../../kernel/errors.ts';
import { defineRoute, type Route } from '../../kernel/route.ts';
import { Id, strict } from '../../kernel/schemas.ts';
import type { ReportSender, UsageReports } from './counting/usage-reports.ts';
import { ListRefusals, Refusal, ReportedRefusal } from './refusals/schema.ts';
import { OMITTED_HEADER, type RefusalService } from './refusals/service.ts';
import {
  ApiKeyTotals,
  columnsOf,
  ExportedUsage,
  ExportQuery,
  ProjectTotals,
  TotalsQuery,
  UsageQuery,
  UsageRow,
} from './schema.ts';
import type { AnalyticsService } from './service.ts';

export const analyticsRoutes = (
  service: AnalyticsService,
  reports: UsageReports,
  refusals: RefusalService,
): Route[] => [
  getApiKeyTotals(service),
  getProjectTotals(service),
  getUsage(service),
  exportUsage(service),
  reportUsage(reports),
  listRefusals(refusals),
];

const getApiKeyTotals = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/api-key-totals',
    operationId: 'getApiKeyTotals',
    tag: 'auth_api_v1',
    summary: 'Count the validations of each API key',
    description:
      'One row per key, or per key and bucket. Without `dateGrouping`, every key is listed. With it, only buckets with validations are listed, or all buckets if a single `key` is requested. The range is widened to whole buckets; without grouping to whole hours, or to whole days where hours are no longer kept.',
    example: { query: { customAccountId: 'acme', sort: 'total', limit: 10 } },
    access: 'analytics:read',
    query: TotalsQuery,
    reply: ApiKeyTotals,
    status: 200,
    list: true,
    csv: columnsOf(ApiKeyTotals),
    errors: ['key_not_found', 'project_not_found', 'project_required', 'query_too_large'],
    handle: ({ actor, query }) => service.keyTotals(actor.principal, query),
  });

const getProjectTotals = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/project-totals',
    operationId: 'getProjectTotals',
    tag: 'analytics',
    summary: 'Count the validations of each project',
    description:
      'One row per project, or per project and bucket. The counts of an erased key remain in the total of its project. With `key`, `customAccountId`, `customUserId` or `planId`, only those keys are counted.',
    example: { query: { dateGrouping: 'day', limit: 10 } },
    access: 'analytics:read',
    query: TotalsQuery,
    reply: ProjectTotals,
    status: 200,
    list: true,
    csv: columnsOf(ProjectTotals),
    errors: ['key_not_found', 'project_not_found', 'project_required', 'query_too_large'],
    handle: ({ actor, query }) => service.projectTotals(actor.principal, query),
  });

const getUsage = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/usage',
    operationId: 'getUsage',
    tag: 'analytics',
    summary: 'Count validations over time, by key, customer, plan, resource, outcome or access key',
    description:
      'Rows are sorted by group, then by date. Empty buckets are left out, except when grouped by outcome, and for a single `key` unless grouped by resource. Minutes and hours are in UTC; days, weeks and months in `timezone`. Customers and plans are those that keys have today: the history of a key moves with it.',
    example: { query: { groupBy: 'outcome', interval: 'day' } },
    access: 'analytics:read',
    query: UsageQuery,
    reply: UsageRow,
    status: 200,
    list: true,
    csv: columnsOf(UsageRow),
    errors: ['key_not_found', 'project_not_found', 'project_required', 'query_too_large'],
    handle: ({ actor, query }) => service.usage(actor.principal, query),
  });

const exportUsage = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/usage/export',
    operationId: 'exportUsage',
    tag: 'analytics',
    summary: 'Export usage by period, of any time range',
    description:
      'One row for each period in which a key, customer, project or resource was used. Without `limit`, all rows are streamed as they are read. Each row has the `cursor` with which an export goes on after it, for example after a broken connection. Rows have ids only and are in an order that never changes, so two exports of a time that ended more than 12 hours and 15 minutes ago are identical, unless keys were erased in between or, by customer, were given to another one. Keys without a customer are only in the exports by key, project and resource; erased keys only in those by project and resource.',
    example: {
      query: { from: '2030-01-01', to: '2030-01-02', groupBy: 'project' },
      response: [
        {
          projectId: 'prj_01jz5n8w3e7xk2m4q6s8v00001',
          keyId: null,
          customAccountId: null,
          resource: null,
          start: '2030-01-01T00:00:00.000Z',
          end: '2030-01-02T00:00:00.000Z',
          total: 512,
          valid: 500,
          rateLimited: 12,
          revoked: 0,
          expired: 0,
          domainDenied: 0,
          notStarted: 0,
          ipDenied: 0,
          permissionDenied: 0,
          creditsExhausted: 0,
          cost: 640,
          units: { tokens: 91_200 },
          cursor:
            'WyJwcm9qZWN0cyBieSBuZXdlc3QiLG51bGwsInByal8wMWp6NW44dzNlN3hrMm00cTZzOHYwMDAwMSIsMTg5MzQ1NjAwMDAwMF0',
        },
      ],
    },
    access: 'analytics:read',
    query: ExportQuery,
    reply: ExportedUsage,
    status: 200,
    list: true,
    csv: Object.keys(ExportedUsage.properties),
    errors: ['project_not_found', 'project_required', 'query_too_large'],
    handle: ({ actor, query }) => service.exportUsage(actor.principal, query),
  });

/** Shorter than the time for which the number of a sender's last report is kept. */
const AGO_MS_MAX = 12 * 3_600_000;

const Body = strict(
  {
    reporter: Type.String({
      pattern: '^[A-Za-z0-9_-]{16,64}$',
      description: 'A random id, the same for all reports of one process.',
    }),
    number: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Increases with each report. A report with a number that was already received is ignored.',
    }),
    agoMs: Type.Integer({
      minimum: 0,
      maximum: AGO_MS_MAX,
      description: 'How long ago the uses were counted.',
    }),
    counts: Type.Array(
      strict({
        keyId: Id('key', 'the key'),
        outcome: Type.Enum(KEY_OUTCOMES),
        count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
        cost: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 1_000_000_000,
            description:
              'Sum of the costs of these uses, if the outcome is `valid`. Default: `count`.',
          }),
        ),
        resource: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9._:/-]{1,128}$',
            description: 'What these requests were about.',
            examples: ['POST:/v1/chat'],
          }),
        ),
      }),
      { minItems: 1, maxItems: 500 },
    ),
    refusals: Type.Optional(
      Type.Array(ReportedRefusal, {
        maxItems: 100,
        description:
          'Samples of the refusals among the counts, for `GET /refusals`. Never the value of a key.',
      }),
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
    summary: 'Report uses of keys that you validated in your own process',
    description:
      'A report is counted once for each `reporter` and `number`: send reports one after another, and repeat a report until it succeeds. Keys of others are ignored. An access key may use 10,000 reporters a day: use one for the life of a process.',
    example: {
      body: {
        reporter: 'worker-7f3a-berlin',
        number: 1,
        agoMs: 0,
        counts: [{ keyId: '$KEY_ID', outcome: 'valid', count: 5 }],
      },
    },
    access: 'keys:validate',
    unmetered: true,
    body: Body,
    reply: Received,
    status: 200,
    errors: ['too_many_reporters'],
    async handle(call) {
      const { principal } = call.actor;
      if (principal.kind !== 'access-key')
        throw new KeywardError('scope_missing', 'Only access keys can use this endpoint.');
      await reports.accept(principal as unknown as ReportSender, call.body);
      return { received: true };
    },
  });

const listRefusals = (service: RefusalService) =>
  defineRoute({
    method: 'GET',
    path: '/refusals',
    operationId: 'listRefusals',
    tag: 'analytics',
    summary: 'List refused validations of your keys, newest first',
    description:
      'Samples that explain why requests are refused: each node records at most 10 per key and minute, and 200 per second; up to 100,000 rows per account are kept, for 7 days. Counts of all refusals are in `GET /analytics/usage`. Values that are not a key are not listed.',
    example: {
      query: { code: 'rate_limited', limit: 10 },
      response: [
        {
          id: 'rfs_01jz5n8w3e7xk2m4q6s8v00001',
          time: '2030-01-01T12:00:00.000Z',
          projectId: 'prj_01jz5n8w3e7xk2m4q6s8v00002',
          keyId: 'key_01jz5n8w3e7xk2m4q6s8v00003',
          code: 'rate_limited',
          accessKeyId: 'ak_01jz5n8w3e7xk2m4q6s8v00004',
          clientIP: '203.0.113.7',
          origin: null,
          missing: null,
          limit: 'day',
          cost: 1,
        },
      ],
    },
    access: 'analytics:read',
    query: ListRefusals,
    reply: Refusal,
    status: 200,
    list: true,
    responseHeaders: {
      [OMITTED_HEADER]:
        'How many refusals in the minutes of the time range were not recorded, whatever their code. With `key` or `customAccountId` it may be too low: a node counts at most 100 keys a minute separately.',
    },
    errors: ['key_not_found', 'project_not_found'],
    handle: ({ actor, query }) => service.list(actor.principal, query),
  });
