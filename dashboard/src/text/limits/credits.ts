import type { Credits, CreditsInput, PlanCredits } from 'keyward';
import { wholeNumber } from '../numbers.ts';

type Interval = NonNullable<PlanCredits['interval']>;

/** Value of a credits field, of a plan or of a key or customer. */
export interface CreditsChoice {
  readonly on: boolean;
  /** Credits to start with. Ignored in a plan, and if there are credits already. */
  readonly remaining: string;
  readonly interval: Interval | 'never';
  /** Credits after a refill; in a plan without a refill, the credits to start with. */
  readonly amount: string;
  readonly timezone: string;
}

export const NO_CREDITS: CreditsChoice = {
  on: false,
  remaining: '1000',
  interval: 'never',
  amount: '1000',
  timezone: 'UTC',
};

export const creditsChoice = (credits: Credits | null): CreditsChoice =>
  credits === null
    ? NO_CREDITS
    : {
        on: true,
        remaining: String(credits.remaining),
        interval: credits.refill?.interval ?? 'never',
        amount: String(credits.refill?.amount ?? NO_CREDITS.amount),
        timezone: credits.refill?.timezone ?? 'UTC',
      };

export const planCreditsChoice = (credits: PlanCredits | null): CreditsChoice => ({
  ...NO_CREDITS,
  interval: 'month',
  ...(credits && {
    on: true,
    amount: String(credits.amount),
    interval: credits.interval ?? 'never',
  }),
});

type Chosen<Value> =
  | { readonly ok: true; readonly credits: Value | null }
  | { readonly ok: false; readonly message: string };

const NOT_A_NUMBER = {
  ok: false,
  message: 'Enter the number of credits as a whole number, 0 or more.',
} as const;

/** What to send. Existing credits keep what is left: that is changed by adding or setting credits. */
export function chosenCredits(choice: CreditsChoice, before: CreditsChoice): Chosen<CreditsInput> {
  if (!choice.on) return { ok: true, credits: null };
  const remaining = creditsIn(choice.remaining);
  const amount = creditsIn(choice.amount);
  const { interval, timezone } = choice;
  if ((remaining === null && !before.on) || (amount === null && interval !== 'never'))
    return NOT_A_NUMBER;
  return {
    ok: true,
    credits: {
      ...(!before.on && { remaining: remaining! }),
      refill: interval === 'never' ? null : { amount: amount!, interval, timezone },
    },
  };
}

export function chosenPlanCredits({ on, amount, interval }: CreditsChoice): Chosen<PlanCredits> {
  if (!on) return { ok: true, credits: null };
  const credits = creditsIn(amount);
  if (credits === null) return NOT_A_NUMBER;
  return {
    ok: true,
    credits: { amount: credits, interval: interval === 'never' ? null : interval },
  };
}

const CREDITS_MAX = 1_000_000_000_000;

/** Parses `1000`, `1,000` or `1 000`; null if it is not a number of credits. */
export function creditsIn(text: string): number | null {
  const digits = text.replaceAll(/[\s,]/g, '');
  const value = Number(digits);
  return /^\d+$/.test(digits) && value <= CREDITS_MAX ? value : null;
}

/** `refilled to 5,000 every month (Europe/Berlin time)`. */
export const refillText = ({
  amount,
  interval,
  timezone = 'UTC',
}: NonNullable<CreditsInput['refill']>): string =>
  `refilled to ${wholeNumber(amount)} every ${interval} (${timezone} time)`;

/** `1,200 left, refilled to 5,000 every month (UTC time)`. */
export function creditsText({ remaining, refill }: CreditsInput): string {
  const left = remaining === undefined ? [] : [`${wholeNumber(remaining)} left`];
  return [...left, refill ? refillText(refill) : 'not refilled'].join(', ');
}

/** `5,000 credits, refilled every month`. */
export const planCreditsText = ({ amount, interval }: PlanCredits): string =>
  `${wholeNumber(amount)} credits, ${interval === null ? 'not refilled' : `refilled every ${interval}`}`;

type Editable<Item> = Omit<Item, 'credits'> & { readonly credits: CreditsInput | null };

/** A record as a form edits it. Requests take credits all the time, so what is left is not part of it. */
export const withoutRemaining = <Item extends { readonly credits: Credits | null }>({
  credits,
  ...item
}: Item): Editable<Item> => ({ ...item, credits: credits && { refill: credits.refill } });
