import Type, { type Static } from 'typebox';
import { CustomId, Id, nullable, strict, Time } from '../../../kernel/schemas.ts';
import { PlanCreditsField } from '../../credits/index.ts';
import { CreatePlan } from '../schema.ts';

/** Usage by minute is kept this long by default. */
const HOURS_MAX = 48;

export const PreviewPlan = strict(
  {
    projectId: Type.Optional(
      Id('prj', 'the project whose keys are replayed, if there is no `planId`'),
    ),
    planId: Type.Optional(Id('pln', 'a plan', 'Only the keys that have it today are replayed.')),
    customAccountId: Type.Optional(
      Type.String({
        ...CustomId,
        description:
          'A customer, with or without a record: only its keys are replayed, and `limits` count as those of the customer. Cannot be combined with `planId` or `credits`.',
      }),
    ),
    key: Type.Optional(
      Id(
        'key',
        'a key',
        'Only it is replayed, and `limits` count as its own. Cannot be combined with `planId` or `credits`.',
      ),
    ),
    /** Default: those of the plan. */
    limits: CreatePlan.properties.limits,
    credits: Type.Optional(
      Type.Union([PlanCreditsField, Type.Null()], {
        description: 'The credits to try. Default: those of the plan.',
      }),
    ),
    hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: HOURS_MAX,
        description: `How many of the last hours are replayed. Default: ${HOURS_MAX}.`,
      }),
    ),
  },
  'PreviewPlan',
);
export type PreviewPlan = Static<typeof PreviewPlan>;

const RefusedCustomer = Type.Object(
  {
    customAccountId: nullable(Type.String({ description: 'The customer.' })),
    keyId: nullable(Id('key', 'the key, if it has no customer')),
    refused: Type.Integer(),
    firstAt: Type.String({
      format: 'date-time',
      description: 'The minute of the first refusal.',
    }),
  },
  { title: 'RefusedCustomer' },
);
export type RefusedCustomer = Static<typeof RefusedCustomer>;

const refused = Type.Integer({
  description: 'Requests that would not have fitted, even if the limit is in shadow mode.',
});
const customers = Type.Array(RefusedCustomer, {
  description: 'The 100 customers, and keys without a customer, with the most such requests.',
});

export const PlanPreview = Type.Object(
  {
    projectId: Id('prj', 'the project'),
    planId: nullable(Id('pln', 'the plan')),
    from: Time,
    to: {
      ...Time,
      description:
        'Usage before this time was replayed, except `omittedRequests`. It is the start of the current minute, or earlier if there is more usage than can be replayed.',
    },
    evaluated: Type.Object(
      { keys: Type.Integer(), requests: Type.Integer(), cost: Type.Integer() },
      {
        description:
          'What was replayed: valid requests, and those that a limit or missing credits refused at the time.',
      },
    ),
    refused: Type.Integer({
      description: 'Requests that an enforced limit or missing credits would have refused.',
    }),
    limits: Type.Array(Type.Object({ name: Type.String(), refused, customers })),
    credits: nullable(Type.Object({ refused, customers })),
    skipped: Type.Array(Type.String(), {
      description: 'Limits that cannot be replayed, because their window is shorter than a minute.',
    }),
    omittedRequests: Type.Integer({
      description: 'Requests of further keys: at most 50,000 keys are replayed.',
    }),
  },
  { title: 'PlanPreview' },
);
export type PlanPreview = Static<typeof PlanPreview>;
