import Type from 'typebox';
import type { Clock } from '../../kernel/clock.ts';
import { ERRORS } from '../../kernel/errors.ts';
import type { Answer } from '../../kernel/route.ts';
import { ValidatedKey } from '../api-keys/index.ts';
import { bodyHeaders } from './body-headers.ts';
import type { Caller, Validator, Verdict } from './validator.ts';

const RateLimitState = Type.Object(
  {
    limit: Type.Integer(),
    remaining: Type.Integer(),
    consumed: Type.Integer(),
    reset: Type.Integer({ description: 'UTC epoch seconds.' }),
    retryAfterSeconds: Type.Number(),
  },
  { title: 'RateLimitState' },
);

export const BatchResult = Type.Object(
  {
    valid: Type.Boolean(),
    statusCode: Type.Integer({ description: 'What the single form would have answered.' }),
    code: Type.String({ description: '`valid`, or the code of the error.' }),
    record: Type.Optional(ValidatedKey),
    rateLimit: Type.Optional(RateLimitState),
  },
  { title: 'BatchResult' },
);

export const BATCH_MAX = 1000;
/** Keys of a batch that are validated side by side: one after the other each would wait for Redis. */
const SLICE_KEYS = 100;

/** Validates several values, each as a single validation would. */
export async function validateBatch(
  parts: { readonly validator: Validator; readonly clock: Clock },
  caller: Caller,
  values: readonly string[],
  origin: string | undefined,
): Promise<Answer> {
  const results: string[] = [];
  for (let start = 0; start < values.length; start += SLICE_KEYS) {
    const verdicts = await allOf(
      values
        .slice(start, start + SLICE_KEYS)
        .map((value) => parts.validator.validate(caller, value, origin)),
    );
    const now = parts.clock();
    for (const verdict of verdicts) results.push(resultText(verdict, now));
  }
  const body = `[${results.join(',')}]`;
  return { status: 200, headers: bodyHeaders(Buffer.byteLength(body)), body };
}

/** `Promise.all` only where it is needed: it costs as much for a value as for a promise. */
const allOf = <T>(items: readonly (T | Promise<T>)[]): readonly T[] | Promise<T[]> =>
  items.some((item) => item instanceof Promise) ? Promise.all(items) : (items as readonly T[]);

/** One result as JSON. The record is rendered already. */
export function resultText(verdict: Verdict, now: number): string {
  if (verdict.kind === 'refused')
    return `{"valid":false,"statusCode":${ERRORS[verdict.code][0]},"code":"${verdict.code}"}`;
  const { key, taken } = verdict;
  const start =
    verdict.kind === 'valid'
      ? `{"valid":true,"statusCode":200,"code":"valid","record":${key.body}`
      : '{"valid":false,"statusCode":429,"code":"rate_limited"';
  if (taken === null) return `${start}}`;
  const limit = key.rateLimit;
  const consumed = Math.min(taken.consumed, limit);
  const retryAfterSeconds = Math.max(0, taken.resetAt - now) / 1000;
  return `${start},"rateLimit":{"limit":${limit},"remaining":${limit - consumed},"consumed":${consumed},"reset":${Math.ceil(taken.resetAt / 1000)},"retryAfterSeconds":${retryAfterSeconds}}}`;
}
