import Type, { type Static } from 'typebox';
import { nullable, strict, Time } from '../../kernel/schemas.ts';
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

/** Unset fields keep their value. In new credits, `remaining` defaults to the amount of a refill. */
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
