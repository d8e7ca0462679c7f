import Type from 'typebox';
import { type Call, Written } from '../../kernel/route.ts';
import { nullable } from '../../kernel/schemas.ts';
import { ValidatedKey } from '../api-keys/index.ts';
import { rateLimitHeaders } from '../rate-limits/index.ts';
import { callerOf, originOf, type ValidationParts } from './validate-one.ts';
import type { Lending } from './validator.ts';

/** More would only take from others what this one may not use. */
export const LEASE_MAX = 10_000;

const Lease = Type.Object(
  {
    id: Type.String({ description: 'Names the lease when it is given back.' }),
    granted: Type.Integer({ minimum: 1 }),
    resetInMs: Type.Integer({
      description: 'After this the window is over, and the lease with it.',
    }),
  },
  { title: 'Lease' },
);

/** Times are lengths, from when the question was sent: clocks need not agree. */
export const LeasedKey = Type.Object(
  {
    record: ValidatedKey,
    behindMs: Type.Integer({
      description: 'The answer reflects everything that was changed longer ago than this.',
    }),
    expiresInMs: nullable(Type.Integer()),
    lease: nullable(Lease),
  },
  { title: 'LeasedKey' },
);

export async function answerLease(
  parts: ValidationParts,
  call: Call,
  value: string,
  amount: number,
): Promise<Written> {
  const id = parts.ids('lse');
  const caller = callerOf(call.actor);
  const lending = await parts.validator.lend(caller, value, originOf(call), { id, amount });
  const now = parts.clock();
  if (lending.kind !== 'lent')
    return new Written(parts.refusals.of(lending, call.actor.requestId, now));
  const { key, leased } = lending;
  const taken = leased && { ...leased, allowed: true };
  return new Written({
    status: 200,
    headers: [
      ...['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'],
      ...(taken === null ? [] : rateLimitHeaders(key.rateLimit, taken, now)),
    ],
    body: leasedBody(id, lending, now),
  });
}

function leasedBody(id: string, lending: Extract<Lending, { kind: 'lent' }>, now: number): string {
  const { key, leased, behindMs } = lending;
  const lease = leased && {
    id,
    granted: leased.granted,
    resetInMs: Math.max(0, Math.floor(leased.resetAt - now)),
  };
  const expiresInMs = key.expiresAt === null ? null : Math.max(0, key.expiresAt - now);
  const rest = JSON.stringify({ behindMs: Math.ceil(behindMs), expiresInMs, lease });
  // The record is written already.
  return `{"record":${key.body},${rest.slice(1)}`;
}
