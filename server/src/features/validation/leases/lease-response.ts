import { REQUESTS } from '@keyward/rules/cost.ts';
import type { LeaseResult } from '../../../cluster/counters/counters.ts';
import { type Call, RawResponse } from '../../../kernel/route.ts';
import { customerGroup } from '../../policies/index.ts';
import { rateLimitHeaders } from '../../rate-limits/index.ts';
import { allOf, heldResponse, slicesOf } from '../batch.ts';
import type { PreparedKey } from '../prepared-key.ts';
import { callerOf, type ValidationParts } from '../single.ts';
import { conditionsOf } from '../wire/conditions.ts';
import { acceptanceResponse, resultText } from '../wire/responses.ts';
import type { KeyLeases, LeasedLimit, LeaseVerdict, WantedLeases } from './key-leases.ts';

type Leased = Extract<LeaseVerdict, { kind: 'leased' }>;

/**
 * Responds with the key and the leases of its limits and credits. If the client must ask the server for every
 * validation of this key, the response is the record without leases, and nothing is counted.
 */
export async function leaseKey(
  parts: ValidationParts & { readonly leases: KeyLeases },
  call: Call,
  value: string,
  wanted: WantedLeases,
): Promise<RawResponse> {
  const caller = callerOf(call.actor);
  const verdict = await parts.leases.lease(caller, value, conditionsOf(call, {}), wanted);
  const now = parts.clock();
  if (verdict.kind === 'unleased')
    return new RawResponse(
      acceptanceResponse({ kind: 'valid', key: verdict.key, taken: null, credits: null }, now),
    );
  if (verdict.kind !== 'leased')
    return new RawResponse(parts.refusals.of(verdict, call.actor.requestId, now));
  const fields = wanted.policies ? policyFields(verdict, now) : { lease: onlyLease(verdict, now) };
  return new RawResponse({
    status: 200,
    headers: [
      ...['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'],
      ...(wanted.policies ? [] : limitHeaders(verdict, now)),
    ],
    body: leasedBody(verdict, fields, now),
  });
}

/** The most that a described key takes besides its record, its limits and its addresses. */
const DESCRIPTION_BYTES = 512;
const LIMIT_BYTES = 512;
/** The longest address range is an IPv6 one. */
const RANGE_BYTES = 48;

/** Responds with what a process needs to validate these keys, without leases. */
export async function describeKeys(
  parts: ValidationParts & { readonly leases: KeyLeases },
  call: Call,
  values: readonly string[],
  accounting: boolean,
): Promise<RawResponse> {
  const { validator, leases } = parts;
  const caller = callerOf(call.actor);
  const verdicts: LeaseVerdict[] = [];
  for (const slice of slicesOf(values)) {
    await validator.takeTurn(caller);
    verdicts.push(
      ...(await allOf(slice.map((value) => leases.describe(caller, value, accounting)))),
    );
  }
  const bytes = verdicts.reduce((sum, verdict) => sum + describedBytes(verdict), 0);
  const response = await heldResponse(validator, caller, bytes, async () => {
    const results: string[] = [];
    for (const slice of slicesOf(verdicts)) {
      await validator.takeTurn(caller);
      const now = parts.clock();
      for (const verdict of slice) results.push(describedText(verdict, now));
    }
    return `[${results.join(',')}]`;
  });
  return new RawResponse(response);
}

function describedBytes(verdict: LeaseVerdict): number {
  if (!('key' in verdict)) return DESCRIPTION_BYTES;
  const { bodyBytes, limitNames, allowedIPs } = verdict.key as PreparedKey;
  const limits = LIMIT_BYTES * limitNames.length;
  return DESCRIPTION_BYTES + bodyBytes + limits + RANGE_BYTES * (allowedIPs?.length ?? 0);
}

function describedText(verdict: LeaseVerdict, now: number): string {
  if (verdict.kind === 'leased') return leasedBody(verdict, policyFields(verdict, now), now);
  return verdict.kind === 'unleased'
    ? resultText({ kind: 'valid', key: verdict.key, taken: null, credits: null }, now)
    : resultText(verdict, now);
}

function leasedBody({ key, behindMs }: Leased, fields: object, now: number): string {
  const expiresInMs = key.expiresAt === null ? null : Math.max(0, key.expiresAt - now);
  const allowedIPs = key.allowedIPs?.map(({ text }) => text);
  const rest = { behindMs: Math.ceil(behindMs), expiresInMs, ...fields, allowedIPs };
  // The record is already JSON.
  return `{"record":${key.body},${JSON.stringify(rest).slice(1)}`;
}

/** For clients that know only `rateLimitConfigs`. */
function onlyLease({ limits }: Leased, now: number) {
  const lease = limits[0]?.lease;
  return lease ? { id: lease.id, granted: lease.granted, resetInMs: msLeft(lease, now) } : null;
}

const limitHeaders = ({ limits }: Leased, now: number): string[] =>
  limits.flatMap(({ limit: { limit }, lease }) =>
    lease === null ? [] : rateLimitHeaders(limit, { ...lease, allowed: true }, now),
  );

function policyFields({ key, limits, credits }: Leased, now: number) {
  return {
    lease: null,
    now,
    planId: key.planId ?? undefined,
    customer: customerOf(key),
    limits: limits.length === 0 ? undefined : limits.map((each) => limitField(each, now)),
    credits: credits
      ? {
          pool: key.credits!.name,
          remaining: credits.remaining,
          nextRefillAt: credits.nextRefillAt && new Date(credits.nextRefillAt).toISOString(),
          lease:
            credits.granted === 0
              ? null
              : {
                  id: credits.id,
                  granted: credits.granted,
                  endsInMs: msUntil(credits.endsAt, now),
                },
        }
      : undefined,
  };
}

function limitField({ name, limit, unit, patterns, lease }: LeasedLimit, now: number) {
  return {
    name,
    counter: limit.counter,
    limit: limit.limit,
    rateLimitTtl: limit.ttlMs / 1000,
    algorithm: limit.isSliding ? 'sliding' : 'fixed',
    mode: limit.isEnforced ? 'enforce' : 'shadow',
    ...(unit !== REQUESTS && { unit }),
    ...(patterns && { for: patterns }),
    ...(limit.calendar && { interval: limit.calendar.interval }),
    lease: lease && {
      id: lease.id,
      granted: lease.granted,
      consumed: Math.min(lease.consumed, limit.limit),
      resetInMs: msLeft(lease, now),
    },
  };
}

/**
 * The name under which `GET /changes` announces changes of the key's customer. Rarely needed, so it is not
 * kept in memory.
 */
function customerOf({ body, project }: PreparedKey): string | undefined {
  const { customAccountId } = JSON.parse(body) as { customAccountId: string | null };
  return customAccountId === null ? undefined : customerGroup(project.id, customAccountId);
}

const msLeft = ({ resetAt, endsAt = resetAt }: LeaseResult, now: number): number =>
  msUntil(endsAt, now);

const msUntil = (time: number, now: number): number => Math.max(0, Math.floor(time - now));
