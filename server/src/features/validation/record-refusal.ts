import { addressText } from '@keyward/rules/addresses.ts';
import type { Conditions } from '@keyward/rules/check-key.ts';
import { amountOf, CREDITS } from '@keyward/rules/cost.ts';
import { maskIn } from '../../kernel/secrets/key-values.ts';
import { ORIGIN_LENGTH_MAX, type RefusalDetails, type RefusalSampler } from '../analytics/index.ts';
import type { PreparedKey } from './prepared-key.ts';

/** Records why a key was refused, unless too many refusals are recorded already. */
export function recordRefusal(
  refusals: RefusalSampler,
  { accountId, seq }: { readonly accountId: string; readonly seq: number },
  { seq: keySeq, project }: PreparedKey,
  { origin, clientIP, cost }: Conditions,
  time: number,
  {
    code,
    missing = null,
    limit = null,
    cost: taken,
  }: Pick<RefusalDetails, 'code'> & Partial<RefusalDetails>,
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
    clientIP: clientIP === null ? null : addressText(clientIP),
    origin: origin === undefined ? null : maskIn(origin).slice(0, ORIGIN_LENGTH_MAX),
    missing,
    limit,
    cost: taken ?? amountOf(cost, CREDITS),
  });
}
