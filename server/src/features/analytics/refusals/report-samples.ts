import { parseAddress } from '@keyward/rules/addresses.ts';
import { maskIn } from '../../../kernel/secrets/key-values.ts';
import type { UsedKey } from '../counting/usage-counters.ts';
import type { Omission, RefusalSample, RefusalSampler, Refusals, RefusedKey } from './sampler.ts';
import type { ReportedRefusal } from './schema.ts';

interface ReportSender {
  readonly accountId: string;
  readonly seq: number;
}

/** The parts of a usage report that say what was refused. */
interface Report {
  readonly agoMs: number;
  readonly counts: readonly {
    readonly keyId: string;
    readonly outcome: string;
    readonly count: number;
  }[];
  readonly refusals?: readonly ReportedRefusal[];
}

/**
 * The samples in a usage report that are within the limits of this node. All other refusals in the
 * counts of the report are omissions.
 */
export function reportedRefusals(
  sampler: RefusalSampler,
  sender: ReportSender,
  { counts, refusals = [], agoMs }: Report,
  keys: ReadonlyMap<string, UsedKey>,
  now: number,
): Refusals {
  const samples: RefusalSample[] = [];
  const unrecorded = new Map<string, number>();
  for (const { keyId, outcome, count } of counts)
    if (outcome !== 'valid') unrecorded.set(keyId, (unrecorded.get(keyId) ?? 0) + count);
  for (const refusal of refusals) {
    const left = unrecorded.get(refusal.keyId) ?? 0;
    const key = keys.get(refusal.keyId);
    // If there are more samples than counted refusals, the counts are trusted and the other samples dropped.
    if (key === undefined || left === 0) continue;
    const refused = refusedKey(sender, key);
    if (!sampler.allows(refused, now)) continue;
    unrecorded.set(refusal.keyId, left - 1);
    samples.push(sampleOf(sender, refused, refusal, now));
  }
  const omissions: Omission[] = [];
  for (const [keyId, count] of unrecorded) {
    const key = keys.get(keyId);
    if (key !== undefined && count > 0)
      omissions.push(sampler.omission(refusedKey(sender, key), count, now - agoMs, now));
  }
  return { samples, omissions };
}

const refusedKey = ({ accountId }: ReportSender, { seq, project }: UsedKey): RefusedKey => ({
  accountId,
  projectId: project.id,
  keySeq: seq,
});

const sampleOf = (
  { seq }: ReportSender,
  key: RefusedKey,
  refusal: ReportedRefusal,
  now: number,
): RefusalSample => {
  const { clientIP = '', origin, missing, limit, cost = 1 } = refusal;
  return {
    ...key,
    time: now - refusal.agoMs,
    accessKeySeq: seq,
    code: refusal.code,
    clientIP: parseAddress(clientIP) === null ? null : clientIP,
    origin: origin === undefined ? null : maskIn(origin),
    missing: missing?.map(maskIn) ?? null,
    limit: limit === undefined ? null : maskIn(limit),
    cost,
  };
};
