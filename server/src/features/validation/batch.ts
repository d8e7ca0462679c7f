import Type from 'typebox';
import { ERRORS } from '../../kernel/errors.ts';
import { ValidatedKey } from '../api-keys/index.ts';
import type { Verdict } from './validator.ts';

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

/** One result as JSON text: the record is written already, so that nothing is parsed to be written again. */
export function batchResult(verdict: Verdict, now: number): string {
  if (verdict.kind === 'refused')
    return `{"valid":false,"statusCode":${ERRORS[verdict.code][0]},"code":"${verdict.code}"}`;
  const limit = verdict.taken === null ? '' : `,"rateLimit":${limitState(verdict, now)}`;
  return verdict.kind === 'limited'
    ? `{"valid":false,"statusCode":429,"code":"rate_limited"${limit}}`
    : `{"valid":true,"statusCode":200,"code":"valid","record":${verdict.key.body}${limit}}`;
}

function limitState(verdict: Exclude<Verdict, { kind: 'refused' }>, now: number): string {
  const { rateLimit } = verdict.key;
  const { consumed, resetAt } = verdict.taken!;
  const counted = Math.min(consumed, rateLimit);
  const reset = Math.ceil(resetAt / 1000);
  const wait = Math.max(0, resetAt - now) / 1000;
  return `{"limit":${rateLimit},"remaining":${rateLimit - counted},"consumed":${counted},"reset":${reset},"retryAfterSeconds":${wait}}`;
}
