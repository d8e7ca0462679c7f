import type { Address } from '../../../../sdk/src/rules/addresses.ts';
import { maskIn } from '../../kernel/key-values.ts';
import { ORIGIN_LENGTH_MAX, type RefusalDetails, type RefusalSampler } from '../analytics/index.ts';
import type { PreparedKey } from './prepared-key.ts';
import type { Conditions } from './rules.ts';

/** Records why a key was refused, unless too many refusals are recorded already. */
export function recordRefusal(
  refusals: RefusalSampler,
  { accountId, seq }: { readonly accountId: string; readonly seq: number },
  { seq: keySeq, project }: PreparedKey,
  { origin, clientIP, cost }: Conditions,
  time: number,
  { code, missing = null, limit = null }: Pick<RefusalDetails, 'code'> & Partial<RefusalDetails>,
): void {
  const key = { accountId, projectId: project.id, keySeq };
  if (!refusals.allows(key, time)) {
    refusals.omit(key, time);
    return;
  }
  refusals.add({
    ...key,
    time,
    // People have no access key.
    accessKeySeq: seq === 0 ? null : seq,
    code,
    clientIP: clientIP === null || clientIP === 'checked-by-client' ? null : addressText(clientIP),
    origin: origin === undefined ? null : maskIn(origin).slice(0, ORIGIN_LENGTH_MAX),
    missing,
    limit,
    cost,
  });
}

const MAPPED_IPV4 = 0xffff;

function addressText([a, b, c, d]: Address): string {
  if (a === 0 && b === 0 && c === MAPPED_IPV4)
    return [24, 16, 8, 0].map((bits) => (d >>> bits) & 0xff).join('.');
  const groups = [a, b, c, d].flatMap((word) => [(word >>> 16) & 0xffff, word & 0xffff]);
  const text = groups.map((group) => group.toString(16)).join(':');
  // The parser of URLs writes addresses in their shortest form.
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}
