import type { Counters } from '../../cluster/counters/counters.ts';
import type { Tenant } from '../../kernel/authority.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Call, RawResponse } from '../../kernel/route.ts';
import type { Storage } from '../../storage/index.ts';
import { limitGroups } from '../api-keys/index.ts';
import { rateLimitHeaders } from '../rate-limits/index.ts';
import { conditionsOf } from './conditions.ts';
import { acceptanceResponse } from './responses.ts';
import { callerOf, type ValidationParts } from './single.ts';
import type { LeaseVerdict } from './validator.ts';

/**
 * Responds with the key and a lease of up to `amount` requests of its rate limit. A client that does not
 * know policies gets only the record of a key that has some, and validates it by requests.
 */
export async function leaseKey(
  parts: ValidationParts,
  call: Call,
  value: string,
  wanted: { readonly amount: number; readonly policies: boolean },
): Promise<RawResponse> {
  const id = parts.ids('lse');
  const caller = callerOf(call.actor);
  const conditions = { ...conditionsOf(call, {}), clientIP: 'checked-by-client' } as const;
  const verdict = await parts.validator.lease(caller, value, conditions, { id, ...wanted });
  const now = parts.clock();
  if (verdict.kind === 'unleased')
    return new RawResponse(
      acceptanceResponse({ kind: 'valid', key: verdict.key, taken: null, credits: null }, now),
    );
  if (verdict.kind !== 'leased')
    return new RawResponse(parts.refusals.of(verdict, call.actor.requestId, now));
  const { key, leased } = verdict;
  const taken = leased && { ...leased, allowed: true };
  return new RawResponse({
    status: 200,
    headers: [
      ...['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'],
      ...(taken === null ? [] : rateLimitHeaders(key.rateLimit, taken, now)),
    ],
    body: leasedBody(id, verdict, now),
  });
}

function leasedBody(
  id: string,
  verdict: Extract<LeaseVerdict, { kind: 'leased' }>,
  now: number,
): string {
  const { key, leased, behindMs } = verdict;
  const lease = leased && {
    id,
    granted: leased.granted,
    resetInMs: Math.max(0, Math.floor(leased.resetAt - now)),
  };
  const expiresInMs = key.expiresAt === null ? null : Math.max(0, key.expiresAt - now);
  const rest = JSON.stringify({
    behindMs: Math.ceil(behindMs),
    expiresInMs,
    lease,
    ...(key.allowedIPs !== null && { allowedIPs: key.allowedIPs.map(({ text }) => text) }),
  });
  // The record is already JSON.
  return `{"record":${key.body},${rest.slice(1)}`;
}

export interface ReturnedLease {
  readonly keyId: string;
  readonly leaseId: string;
  readonly unused: number;
}

/** Returns unused requests of leases to the rate limits of keys that the caller may see. */
export class LeaseReturns {
  readonly #parts: { storage: Storage; counters: Counters; clock: Clock };

  constructor(parts: { storage: Storage; counters: Counters; clock: Clock }) {
    this.#parts = parts;
  }

  async take(tenant: Tenant, leases: readonly ReturnedLease[]): Promise<number> {
    const { storage, counters, clock } = this.#parts;
    const ids = [...new Set(leases.map(({ keyId }) => keyId))];
    const groups = await limitGroups(storage.point, tenant, ids);
    const now = clock();
    let returned = 0;
    for (const { keyId, leaseId, unused } of leases) {
      const group = groups.get(keyId);
      if (group !== undefined) returned += await counters.giveBack(leaseId, group, unused, now);
    }
    return returned;
  }
}
