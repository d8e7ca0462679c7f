import { addressText } from '@keyward/rules/addresses.ts';
import type { Conditions } from '@keyward/rules/check-key.ts';
import { costInput } from '@keyward/rules/cost.ts';
import type { PermissionGroup, Requirement } from '@keyward/rules/permissions.ts';
import { type Counted, type Decision, Entry } from 'keyward/internal';
import type { RenderedKey } from '../features/validation/index.ts';
import type { Refusal } from '../features/validation/rules.ts';
import type { TimedVerdict } from '../http/hot-path/index.ts';

/** `time`: on the server's clock, like the times at which limits reset. */
export type EdgeVerdict = TimedVerdict;

/** Converts a decision into the verdict that the server's code writes responses from. */
export function verdictOf(decision: Exclude<Decision, 'ask'>): EdgeVerdict {
  if (decision instanceof Entry)
    return { kind: 'valid', key: renderedKey(decision), taken: null, credits: null };
  if ('quotaResult' in decision) return countedVerdict(decision);
  const { code, missing } = decision;
  return { kind: 'refused', code: code as Refusal, ...(missing && { missing }) };
}

function countedVerdict({ entry, quotaResult }: Counted): EdgeVerdict {
  const { outcome, credits, time, neverFits } = quotaResult;
  const counted = {
    time,
    key: renderedKey(entry),
    taken: quotaResult.counts,
    credits: credits && {
      isGranted: outcome !== 'credits_exhausted',
      remaining: credits.remaining,
      nextRefillAt: credits.nextRefillAt === null ? null : Date.parse(credits.nextRefillAt),
    },
  };
  if (outcome === 'rate_limited') return { kind: 'limited', neverFits, ...counted };
  return { kind: outcome === 'valid' ? 'valid' : 'exhausted', ...counted };
}

/** Rendered once for each cached key. */
export function renderedKey(entry: Entry): RenderedKey {
  entry.prepared ??= render(entry);
  return entry.prepared as RenderedKey;
}

function render({ record, quotas }: Entry): RenderedKey {
  const body = JSON.stringify(record);
  const bodyBytes = Buffer.byteLength(body);
  return {
    body,
    bodyBytes,
    encoding: bodyBytes === body.length ? 'latin1' : 'utf8',
    limitNames: quotas?.limits.map(({ name }) => name) ?? [],
    limits: quotas,
  };
}

/** The body of a validation with these conditions. */
export function bodyOf(key: string, { clientIP, requirement, cost, resource }: Conditions): string {
  return JSON.stringify({
    key,
    ...(requirement !== null && { permissions: inputOf(requirement) }),
    ...(clientIP !== null && { clientIP: addressText(clientIP) }),
    ...(cost !== 1 && { cost: costInput(cost) }),
    ...(resource !== null && { resource }),
  });
}

function inputOf(requirement: Requirement): string | PermissionGroup {
  if ('name' in requirement) return requirement.name;
  return 'all' in requirement
    ? { all: requirement.all.map(inputOf) }
    : { any: requirement.any.map(inputOf) };
}
