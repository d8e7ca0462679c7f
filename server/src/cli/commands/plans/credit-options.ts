import type { OptionSpecs, ValuesOf } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { readInteger, withoutUndefined } from '../../values.ts';

/** Options of keys and customers. */
export const CREDIT_OPTIONS = {
  credits: {
    value: 'N',
    help: 'Number of credits left; each validation takes its cost. Default: the amount of --refill',
  },
  refill: {
    value: 'N/INTERVAL',
    help: 'Set the credits to N every hour, day, week or month: 1000/month, or with a time zone 1000/month,Europe/Berlin',
  },
} as const satisfies OptionSpecs;

export const PLAN_CREDITS_OPTION = {
  credits: {
    value: 'N/INTERVAL',
    help: 'Credits for each customer, refilled every hour, day, week or month: 1000/month. Without an interval: once',
  },
} as const satisfies OptionSpecs;

export const CLEARABLE_CREDITS = { credits: 'credits' };

export function creditFields({ credits, refill }: ValuesOf<typeof CREDIT_OPTIONS>) {
  if (credits === undefined && refill === undefined) return {};
  const remaining = credits === undefined ? undefined : readInteger(credits, '--credits');
  return {
    credits: withoutUndefined({
      remaining,
      refill: refill === undefined ? undefined : readRefill(refill),
    }),
  };
}

export function planCreditFields({ credits }: ValuesOf<typeof PLAN_CREDITS_OPTION>) {
  if (credits === undefined) return {};
  const [amount = '', interval = null] = credits.split('/', 2);
  return { credits: { amount: readInteger(amount, '--credits'), interval } };
}

/** `1000/month,Europe/Berlin`. */
function readRefill(text: string): object {
  const match = /^(\d{1,15})\/([a-z]+)(?:,(.+))?$/.exec(text);
  if (match === null)
    throw new UsageError(
      `--refill takes N/INTERVAL, like 1000/month or 1000/month,Europe/Berlin; not ${text}`,
    );
  const [, amount, interval, timezone] = match;
  return withoutUndefined({ amount: Number(amount), interval, timezone });
}
