import { INTERVALS, type Interval as RefillInterval } from '@keyward/rules/calendar.ts';
import { CREDITS_MAX } from '@keyward/rules/credits/pool.ts';
import Type, { type Static } from 'typebox';
import { Id, nullable, strict, Time, TimeInput } from '../../kernel/schemas.ts';

const Amount = (description: string) =>
  Type.Integer({ minimum: 0, maximum: CREDITS_MAX, description });

const Interval = Type.Unsafe<RefillInterval>({
  type: 'string',
  enum: [...INTERVALS],
  description:
    'A refill happens at the start of each interval of the calendar. Weeks begin on Monday.',
});

const refillAmount = Amount('Credits that each refill gives. They expire with the next one.');
const timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA time zone of the calendar. Defaults to `UTC`.',
  examples: ['Europe/Berlin'],
});

const anchorHelp =
  'Days, weeks and months are counted from this time in `timezone`: 31 January, 28 February, 31 March. Without it, they are those of the calendar.';

const remaining = Amount('Credits left. Setting it replaces them.');

export const Credits = Type.Object(
  {
    remaining,
    held: Type.Integer({ description: 'Reserved for calls whose cost is not known yet.' }),
    overdrawn: Type.Integer({
      description:
        'Spent beyond what there was. While this is above 0, every validation is refused; added credits pay it first.',
    }),
    refill: nullable(
      Type.Object(
        { amount: refillAmount, interval: Interval, timezone, anchor: Type.Optional(Time) },
        { title: 'Refill' },
      ),
    ),
    nextRefillAt: nullable({ ...Time, readOnly: true }),
    nextExpiry: nullable(
      Type.Object(
        { amount: Type.Integer({ description: 'Credits that then expire.' }), at: Time },
        { title: 'NextExpiry', description: 'When credits expire next.' },
      ),
    ),
  },
  {
    title: 'Credits',
    description: 'Prepaid requests. Each validation takes its `cost` from them.',
  },
);
export type Credits = Static<typeof Credits>;

const Grant = Type.Object(
  {
    id: Id('gr', 'the grant'),
    amount: Type.Integer({ description: 'Credits that were granted.' }),
    remaining: Type.Integer({ description: 'Credits that are left.' }),
    source: Type.Enum(['refill', 'purchase', 'bonus', 'adjustment']),
    expiresAt: nullable(Time),
    note: nullable(Type.String()),
    createdAt: Time,
  },
  { title: 'CreditGrant' },
);

export const CreditsWithGrants = Type.Object(
  {
    ...Credits.properties,
    grants: Type.Array(Grant, {
      description: 'Grants with credits left, in the order in which they are spent.',
    }),
  },
  { title: 'CreditsWithGrants' },
);
export type CreditsWithGrants = Static<typeof CreditsWithGrants>;

export const ChangedCredits = Type.Object(
  {
    ...Credits.properties,
    taken: Type.Optional(
      Type.Integer({
        description: 'Only if `add` was negative: how many credits were taken away.',
      }),
    ),
  },
  { title: 'ChangedCredits' },
);
export type ChangedCredits = Static<typeof ChangedCredits>;

/** The credits in the response to a validation. */
export const CreditsLeft = Type.Object(
  { remaining, nextRefillAt: nullable(Time) },
  { title: 'CreditsLeft', description: 'Only if requests with the key take credits.' },
);

/** Omitted fields keep their value. For new credits, `remaining` defaults to the amount of the refill. */
export const CreditsInput = strict(
  {
    remaining: Type.Optional(remaining),
    refill: Type.Optional(
      nullable(
        strict(
          {
            amount: refillAmount,
            interval: Interval,
            timezone: Type.Optional(timezone),
            anchor: Type.Optional(TimeInput(anchorHelp)),
          },
          'RefillInput',
        ),
      ),
    ),
  },
  'CreditsInput',
);
export type CreditsInput = Static<typeof CreditsInput>;

/** `credits` of a plan. */
export const PlanCreditsField = strict(
  {
    amount: Amount('Credits that a customer, or a key without customer, gets at first use.'),
    interval: nullable(Interval),
  },
  'PlanCredits',
);

export const ChangeCredits = strict(
  {
    add: Type.Optional(
      Type.Integer({
        minimum: -CREDITS_MAX,
        maximum: CREDITS_MAX,
        description: 'Credits to add. A negative number takes credits away, at most those left.',
      }),
    ),
    set: Type.Optional(Amount('Credits left after the change. Also cancels a debt.')),
    source: Type.Optional(
      Type.Unsafe<'purchase' | 'bonus'>({
        type: 'string',
        enum: ['purchase', 'bonus'],
        description: 'Of added credits: how the statement counts them. Defaults to `purchase`.',
      }),
    ),
    expiresAt: Type.Optional(TimeInput('When the added credits expire. Default: never.')),
    note: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Shown in the statement, such as the number of an invoice.',
      }),
    ),
    grant: Type.Optional(
      Id(
        'gr',
        'a grant',
        'The credits are taken from it only, for example because it is refunded.',
      ),
    ),
  },
  'ChangeCredits',
);
export type ChangeCredits = Static<typeof ChangeCredits>;

/** The data of `credits.changed`. */
export const CreditsChanged = Type.Object(
  {
    projectId: Id('prj', 'the project'),
    keyId: nullable(Id('key', 'the key whose credits were changed')),
    customAccountId: nullable(
      Type.String({ description: 'The customer whose credits were changed.' }),
    ),
    before: nullable(Credits),
    after: Credits,
  },
  { title: 'CreditsChangedData' },
);
