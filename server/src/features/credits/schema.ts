import Type, { type Static } from 'typebox';
import { Id, nullable, strict, Time } from '../../kernel/schemas.ts';
import { REFILL_INTERVALS, type RefillInterval } from './calendar.ts';
import { CREDITS_MAX } from './pool.ts';

const Amount = (description: string) =>
  Type.Integer({ minimum: 0, maximum: CREDITS_MAX, description });

const Interval = Type.Unsafe<RefillInterval>({
  type: 'string',
  enum: [...REFILL_INTERVALS],
  description:
    'A refill happens at the start of each interval of the calendar. Weeks begin on Monday.',
});

const refillAmount = Amount('What `remaining` is set to at each refill.');
const timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA time zone of the calendar. Defaults to `UTC`.',
  examples: ['Europe/Berlin'],
});

const remaining = Amount('Credits left. Setting it replaces them.');

export const Credits = Type.Object(
  {
    remaining,
    refill: nullable(
      Type.Object({ amount: refillAmount, interval: Interval, timezone }, { title: 'Refill' }),
    ),
    nextRefillAt: nullable({ ...Time, readOnly: true }),
  },
  {
    title: 'Credits',
    description: 'Prepaid requests. Each validation takes its `cost` from them.',
  },
);
export type Credits = Static<typeof Credits>;

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
          { amount: refillAmount, interval: Interval, timezone: Type.Optional(timezone) },
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
        description: 'Credits to add. A negative number removes credits, at most those left.',
      }),
    ),
    set: Type.Optional(Amount('Credits left after the change.')),
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
