import type { TakeAllResult, TakeResult } from '../../cluster/counters/counters.ts';
import {
  describedLimit,
  limitSetJson,
  limitSetLines,
  rateLimitLines,
} from '../rate-limits/index.ts';
import { bodyLines } from './body-headers.ts';
import type { PreparedKey } from './prepared-key.ts';

/** What the limits of a key decided: its `limits`, its `rateLimitConfigs` alone, or null if it has neither. */
export type Taken = TakeAllResult | TakeResult | null;

interface Counted {
  readonly key: PreparedKey;
  readonly taken: Taken;
}

const isSet = (taken: TakeAllResult | TakeResult): taken is TakeAllResult => 'states' in taken;

export const isAllowed = (taken: Taken): boolean =>
  taken === null || (isSet(taken) ? taken.refusedBy < 0 : taken.allowed);

/** The rate-limit headers, as lines. */
export function limitLines({ key, taken }: Counted, now: number): string {
  if (taken === null) return '';
  return isSet(taken)
    ? limitSetLines(limitsOf(key), taken, now)
    : rateLimitLines(key.rateLimit, taken, now);
}

/** `,"rateLimit":{…}` of a batch result: the limit that the headers of a single validation describe. */
export function rateLimitField({ key, taken }: Counted, now: number): string {
  if (taken === null) return '';
  const described = isSet(taken)
    ? describedLimit(limitsOf(key), taken)
    : { limit: key.rateLimit, taken };
  if (described === null) return '';
  const { limit } = described;
  const { resetAt } = described.taken;
  const consumed = Math.min(described.taken.consumed, limit);
  const retryAfterSeconds = Math.max(0, resetAt - now) / 1000;
  return `,"rateLimit":{"limit":${limit},"remaining":${limit - consumed},"consumed":${consumed},"reset":${Math.ceil(resetAt / 1000)},"retryAfterSeconds":${retryAfterSeconds}}`;
}

/** The record of a valid key, with what it shows of its limits. */
export function recordOf({ key, taken }: Counted) {
  if (taken === null || !isSet(taken)) return key;
  const { encoding } = key;
  // ASCII only, so its length is its size in bytes.
  const added = `,"rateLimits":${limitSetJson(limitsOf(key), taken)}`;
  const bodyBytes = key.bodyBytes + added.length;
  const body = `${key.body.slice(0, -1)}${added}}`;
  return { body, bodyBytes, bodyLines: bodyLines(bodyBytes), encoding };
}

/** `,"limit":…,"rateLimits":…` of a refusal; '' for a key without `limits`. */
export function refusedFields({ key, taken }: Counted): string {
  if (taken === null || !isSet(taken)) return '';
  const name = key.limitNames[taken.refusedBy];
  return `,"limit":"${name}","rateLimits":${limitSetJson(limitsOf(key), taken)}`;
}

const limitsOf = ({ limits, limitNames: names }: PreparedKey) => ({
  names,
  limits: limits!.limits,
});
