import {
  KEY_OUTCOMES,
  type KeyOutcome,
  OUTCOMES,
  type Outcome,
  USAGE_FIELDS,
} from '@keyward/rules/outcomes.ts';
import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import Type, { type Static, type TSchema } from 'typebox';
import {
  Id,
  Name,
  nullable,
  SortedPageQuery,
  strict,
  Time,
  TimeInput,
  titled,
} from '../../kernel/schemas.ts';
import { outputSchemas } from '../fields/index.ts';
import { isKeyOutcome } from './outcomes.ts';
import { INTERVALS } from './queries/calendar.ts';
import { EXPORT_GROUPINGS, EXPORT_INTERVALS } from './queries/export.ts';
import { SORTS } from './queries/totals-query.ts';
import { GROUPINGS } from './queries/usage-groups.ts';

/** One schema with a list of values, so that the error for a wrong one lists all valid ones. */
const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description });

const Count = Type.Integer({ minimum: 0 });

const Cost = Type.Integer({
  minimum: 0,
  description: 'Sum of the `cost` of valid requests. Equal to `valid` if none stated a cost.',
});

const Units = Type.Record(Type.String(), Type.Integer(), {
  description:
    'What valid requests used of each unit, for units whose sum is not 0; left out if there are none. `requests` is left out if it equals `cost`. Not counted by minute, nor for access keys.',
  examples: [{ tokens: 12_400 }],
});

const filters = {
  projectId: Type.Optional(
    titled(
      'UsageProjectId',
      Id('prj', 'the project', 'Default: that of the access key, or all of the account.'),
    ),
  ),
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Only this key: its value, or its id (`key_…`).',
    }),
  ),
  customAccountId: Type.Optional(
    Type.String({ maxLength: 256, description: 'Use the text `null` to find keys without one.' }),
  ),
  customUserId: Type.Optional(
    Type.String({ maxLength: 256, description: 'Use the text `null` to find keys without one.' }),
  ),
  planId: Type.Optional(
    Type.String({
      title: 'UsagePlanId',
      maxLength: 64,
      description:
        'Only keys that are on this plan today: by their own setting, that of their customer, or the default of their project. The text `null` matches keys without one.',
    }),
  ),
  resource: Type.Optional(
    Type.String({
      title: 'UsageResource',
      maxLength: 128,
      description:
        'Count only requests of this resource: one of the `resources` of the project, or `other`. Counted from when the project declared it, by hour or longer.',
    }),
  ),
  ...SortedPageQuery,
};

const DATE_GROUPINGS = ['hour', 'day', 'week', 'month', 'all'] as const;

const UsageTo = Type.Optional(
  titled('UsageTo', TimeInput('Exclusive, rounded up to the end of its bucket. Default: now.')),
);

export const TotalsQuery = strict({
  ...filters,
  dateGrouping: Type.Optional(
    oneOf(DATE_GROUPINGS, 'Length of a bucket, in UTC. Weeks begin on Monday. Default: `all`.'),
  ),
  from: Type.Optional(
    titled(
      'TotalsFrom',
      TimeInput('Rounded down to the start of its bucket. Default: all counts that are kept.'),
    ),
  ),
  to: UsageTo,
  sort: Type.Optional(
    titled(
      'TotalsSort',
      oneOf(
        SORTS,
        'Highest total or cost first, latest use first, or by name from A to Z. Default: newest first. `total` and `cost` sort up to 100,000 keys; more are refused with `query_too_large`.',
      ),
    ),
  ),
});
export type TotalsQuery = Static<typeof TotalsQuery>;

const Bucket = {
  date: nullable(
    Type.String({
      format: 'date-time',
      description: 'Start of the bucket; null: the whole range.',
    }),
  ),
};

const totals = {
  total: Type.Integer({ minimum: 0, description: 'Validations with any outcome.' }),
  valid: Count,
  rateLimited: Count,
  denied: Type.Integer({
    minimum: 0,
    description:
      'All other refusals: revoked, expired, not started, without credits, or with a domain, address or permission that is not allowed.',
  }),
  firstUsedAt: nullable(Time),
  lastUsedAt: nullable(Time),
  cost: Cost,
  units: Type.Optional(Units),
};

const Env = Type.Union([Type.Literal('live'), Type.Literal('test')]);

const { customAccountId, customUserId } = outputSchemas(API_KEY);

export const ApiKeyTotals = Type.Object(
  {
    id: Id('key', 'the key'),
    key: Type.String({ description: 'The value, masked.', examples: ['live_AbCdEf*********'] }),
    name: Name,
    customAccountId,
    customUserId,
    env: Env,
    ...Bucket,
    ...totals,
  },
  { title: 'ApiKeyTotals' },
);

export const ProjectTotals = Type.Object(
  { id: Id('prj', 'the project'), name: Name, env: Env, ...Bucket, ...totals },
  { title: 'ProjectTotals' },
);

export const UsageQuery = strict({
  groupBy: oneOf(GROUPINGS, 'What to group the counts by.'),
  interval: oneOf(INTERVALS, 'Length of a bucket. Weeks begin on Monday.'),
  ...filters,
  outcome: Type.Optional(oneOf(OUTCOMES, 'Count only this outcome.')),
  sort: Type.Optional(
    titled(
      'UsageSort',
      oneOf(
        ['total', 'cost'],
        'Sorts groups by their validations or their cost in the time range, highest first. Not with `outcome`, and not when grouped by outcome or access key. Default: newest first; custom ids and plans sorted by their ids. Up to 100,000 keys; more are refused with `query_too_large`.',
      ),
    ),
  ),
  timezone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Time zone of days, weeks and months: an IANA name. Default: UTC.',
      examples: ['Europe/Berlin'],
    }),
  ),
  from: Type.Optional(
    titled(
      'UsageFrom',
      TimeInput(
        'Rounded down to the start of its bucket. Default: for `minute` the last hour, for `hour` the last day, for `day` 30 days, for `week` 12 weeks, for `month` 12 months.',
      ),
    ),
  ),
  to: UsageTo,
});
export type UsageQuery = Static<typeof UsageQuery>;

const { projectId: _project, customAccountId: _customer, ...ofOneCustomer } = UsageQuery.properties;

/** The fields of a query for one customer's usage, without those that identify the customer. */
export const customerUsageFields = ofOneCustomer;
export type CustomerUsageQuery = Omit<UsageQuery, 'projectId' | 'customAccountId'>;

const { interval, timezone, from, to, limit, offset, cursor } = ofOneCustomer;

/** The fields of a query that a customer makes in the portal for its own usage. */
export const portalUsageFields = {
  groupBy: Type.Optional(
    oneOf(['outcome', 'key'], 'What to group the counts by. Default: `outcome`.'),
  ),
  interval,
  key: Type.Optional(Id('key', 'the only key to count')),
  timezone,
  from,
  to,
  limit,
  offset,
  cursor,
};

const OfCallers = Type.Integer({
  minimum: 0,
  description: '0 unless grouped by access key or by outcome.',
});

const outcomeCounts = Object.fromEntries(
  Object.entries(USAGE_FIELDS).map(([outcome, field]) => [
    field,
    isKeyOutcome(outcome as Outcome) ? Count : OfCallers,
  ]),
) as Record<(typeof USAGE_FIELDS)[Outcome], typeof Count>;

export const UsageRow = Type.Object(
  {
    group: nullable(
      Type.String({
        description:
          'Id of the key, access key or plan, the custom id (null: keys without one), the resource, or the outcome.',
      }),
    ),
    name: nullable(Type.String({ description: 'Name of the key, access key, plan or customer.' })),
    date: Time,
    total: Count,
    ...outcomeCounts,
    cost: Cost,
    units: Type.Optional(Units),
  },
  { title: 'UsageRow' },
);

const { limit: exportLimit, cursor: exportCursor } = filters;

export const ExportQuery = strict({
  from: titled('ExportFrom', TimeInput('Rounded down to the start of its period, in UTC.')),
  to: titled('ExportTo', TimeInput('Exclusive, rounded up to the end of its period, in UTC.')),
  groupBy: titled(
    'ExportGroupBy',
    oneOf(
      EXPORT_GROUPINGS,
      'What a row counts. `customer`: the keys with one `customAccountId` today. All but `project` need a project.',
    ),
  ),
  interval: Type.Optional(
    titled('ExportInterval', oneOf(EXPORT_INTERVALS, 'Length of a period. Default: `day`.')),
  ),
  format: Type.Optional(oneOf(['csv', 'ndjson'], 'Default: what `Accept` names, or a JSON array.')),
  projectId: filters.projectId,
  resource: filters.resource,
  limit: exportLimit,
  cursor: exportCursor,
});
export type ExportQuery = Static<typeof ExportQuery>;

export const ExportedUsage = Type.Object(
  {
    projectId: Id('prj', 'the project'),
    keyId: nullable(Id('key', 'the key', 'Null unless grouped by key.')),
    customAccountId: nullable(Type.String({ description: 'Null unless grouped by customer.' })),
    resource: nullable(
      Type.String({ description: 'Null unless grouped by resource, or of one resource.' }),
    ),
    start: Time,
    end: Time,
    total: Count,
    ...(Object.fromEntries(KEY_OUTCOMES.map((outcome) => [USAGE_FIELDS[outcome], Count])) as Record<
      (typeof USAGE_FIELDS)[KeyOutcome],
      typeof Count
    >),
    cost: Cost,
    units: Type.Optional(Units),
    cursor: Type.String({
      description: 'With this `cursor`, an export goes on after this row.',
    }),
  },
  { title: 'ExportedUsage' },
);

/** A column only of projects that use units, after all others. */
export const UNITS_COLUMN = 'units';

/** The columns of a table, in the order of the schema. */
export const columnsOf = (schema: { properties: Record<string, TSchema> }): readonly string[] =>
  Object.keys(schema.properties).filter((column) => column !== UNITS_COLUMN);
