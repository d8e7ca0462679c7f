import { amountOf, type Cost, REQUESTS } from '@keyward/rules/cost.ts';
import { hasNamedLimits } from '@keyward/rules/default-limit.ts';
import { indexOfTooSmallLimit, type LimitCosts } from '@keyward/rules/limit-set.ts';
import type { TakeAllResult } from '../../../cluster/counters/counters.ts';
import { isoTimeOrNull } from '../../../kernel/time/clock.ts';
import type { Reservation } from '../../credits/index.ts';
import {
  describedLimit,
  limitSetJson,
  limitSetLines,
  type NamedLimits,
} from '../../rate-limits/index.ts';
import type { LimitedKey } from '../prepared-key.ts';

/** What the limits of a key decided about a request. Null for a key without limits. */
export type Taken = TakeAllResult | null;

/** What responses show of a key. */
export interface RenderedKey
  extends Pick<LimitedKey, 'body' | 'bodyBytes' | 'encoding' | 'limitNames'> {
  readonly limits: Pick<NamedLimits, 'limits'> | null;
}

export interface Counted {
  readonly key: RenderedKey;
  readonly taken: Taken;
  /** Null for a key without credits. */
  readonly credits: Reservation | null;
}

/** What a cost takes from each of the limits. */
export const limitCosts = (
  { limitUnits }: Pick<LimitedKey, 'limitUnits'>,
  cost: Cost,
): LimitCosts =>
  limitUnits === null ? amountOf(cost, REQUESTS) : limitUnits.map((unit) => amountOf(cost, unit));

/** Whether a limit of the key allows less than the cost in a whole window, so that waiting does not help. */
export const costNeverFits = ({ limits }: Pick<LimitedKey, 'limits'>, costs: LimitCosts) =>
  limits !== null && indexOfTooSmallLimit(limits.limits, costs) >= 0;

/** A verdict about a key with limits or credits. */
type Reported = Counted & { readonly neverFits?: boolean };

export const isAllowed = (taken: Taken): boolean => taken === null || taken.refusedBy < 0;

/** The headers about limits and credits, as lines. */
export function limitLines({ key, taken, credits, neverFits }: Reported, now: number): string {
  const lines = taken === null ? '' : limitSetLines(limitsOf(key), taken, now, neverFits);
  return credits === null ? lines : lines + creditLines(credits, isAllowed(taken), now);
}

/** If a limit refused, `Retry-After` is already among the lines of the limit. */
function creditLines(
  { isGranted, remaining, nextRefillAt }: Reservation,
  isAllowed: boolean,
  now: number,
): string {
  const line = `credits-remaining: ${remaining}\r\n`;
  if (isGranted || !isAllowed || nextRefillAt === null) return line;
  return `${line}Retry-After: ${Math.max(1, Math.ceil((nextRefillAt - now) / 1000))}\r\n`;
}

/** `,"credits":{…}`; '' for a key without credits. */
export function creditsField(credits: Reservation | null): string {
  if (credits === null) return '';
  const { remaining, nextRefillAt } = credits;
  return `,"credits":${JSON.stringify({ remaining, nextRefillAt: isoTimeOrNull(nextRefillAt) })}`;
}

/** `,"rateLimit":{…}` of a batch result: the limit that the headers of a single validation describe. */
export function rateLimitField({ key, taken }: Counted, now: number): string {
  if (taken === null) return '';
  const described = describedLimit(limitsOf(key), taken);
  if (described === null) return '';
  const { limit } = described;
  const { resetAt } = described.taken;
  const consumed = Math.min(described.taken.consumed, limit);
  const retryAfterSeconds = Math.max(0, resetAt - now) / 1000;
  return `,"rateLimit":{"limit":${limit},"remaining":${limit - consumed},"consumed":${consumed},"reset":${Math.ceil(resetAt / 1000)},"retryAfterSeconds":${retryAfterSeconds}}`;
}

/** The record of a valid key, with the state of its limits and credits. */
export function recordOf({ key, taken, credits }: Counted) {
  const limits = rateLimitsField(key, taken);
  if (limits === '' && credits === null) return key;
  const { encoding } = key;
  // ASCII only, so its length is its size in bytes.
  const added = limits + creditsField(credits);
  const bodyBytes = key.bodyBytes + added.length;
  const body = `${key.body.slice(0, -1)}${added}}`;
  return { body, bodyBytes, encoding };
}

/** `,"rateLimits":…` for a key with named limits. */
const rateLimitsField = (key: RenderedKey, taken: Taken): string =>
  taken !== null && hasNamedLimits(key.limitNames)
    ? `,"rateLimits":${limitSetJson(limitsOf(key), taken)}`
    : '';

/** `,"retryable":false` if the cost never fits, and `,"limit":…,"rateLimits":…` for a key with named limits. */
export function refusedFields({ key, taken, neverFits }: Omit<Reported, 'credits'>): string {
  const retryable = neverFits ? ',"retryable":false' : '';
  const limits = rateLimitsField(key, taken);
  return limits === ''
    ? retryable
    : `${retryable},"limit":"${refusingLimit({ key, taken })}"${limits}`;
}

/** The name of the limit that refused. */
export const refusingLimit = ({ key, taken }: Pick<Counted, 'key' | 'taken'>): string =>
  key.limitNames[taken!.refusedBy]!;

const limitsOf = ({ limits, limitNames: names }: RenderedKey) => ({
  names,
  limits: limits!.limits,
});
