import { NO_CONDITIONS } from '@keyward/rules/check-key.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noCredits } from '../../../test/harness/no-credits.ts';
import { createMemoryChangeBus } from '../../cluster/change-bus/memory.ts';
import type { Counters } from '../../cluster/counters/counters.ts';
import { MemoryCounters } from '../../cluster/counters/memory.ts';
import { createIds } from '../../kernel/ids.ts';
import { ResponseBudget } from '../../kernel/response-budget.ts';
import { deriveSecrets } from '../../kernel/secrets/crypto.ts';
import { UsageTally, UsedAccessKey } from '../analytics/index.ts';
import type { KeyWithLevels } from '../api-keys/index.ts';
import { ChangeCounts, effectivePolicies, NO_LEVELS } from '../policies/index.ts';
import { ProjectStates } from '../projects/index.ts';
import { validateBatch } from './batch.ts';
import { PreparedKey } from './prepared-key.ts';
import { type ReadKey, Validator } from './validator.ts';
import type { Caller, Verdict } from './verdict.ts';
import { resultText } from './wire/responses.ts';

const NOW = Date.UTC(2030, 0, 1);
const ids = createIds();
const secrets = deriveSecrets('a root secret for this test, and for nothing else');
const [projectId, accountId] = [ids('prj'), ids('acc')];
class TestCaller extends UsedAccessKey implements Caller {
  readonly seq: number = 1;
  readonly accountId: string = accountId;
  readonly projectIds = null;
}
const caller = new TestCaller();

class SecondAccessKey extends TestCaller {
  override readonly seq = 2;
}
class OtherAccount extends TestCaller {
  override readonly seq = 3;
  override readonly accountId = ids('acc');
}

function validatorOf(readKey: ReadKey, counters: Counters) {
  const bus = createMemoryChangeBus();
  const validator = new Validator({
    readKey,
    secrets,
    counters,
    bus,
    projects: new ProjectStates(bus),
    levelChanges: new ChangeCounts(bus),
    credits: noCredits,
    tally: new UsageTally({ write: async () => {}, onError: () => {} }),
    clock: Date.now,
    cacheBytes: 1 << 24,
    responses: new ResponseBudget(),
  });
  return { validator, bus };
}

describe('the access keys of an account', () => {
  it('share one slice of batches in each turn of the event loop', () => {
    const { validator } = validatorOf(() => undefined, new MemoryCounters());
    expect(validator.takeTurn(caller)).toBeUndefined();
    expect(validator.takeTurn(new SecondAccessKey())).toBeInstanceOf(Promise);
    expect(validator.takeTurn(new OtherAccount())).toBeUndefined();
  });

  it('share eight lookups at a time', async () => {
    let reads = 0;
    const never = () => {
      reads++;
      return new Promise<never>(() => {});
    };
    const { validator } = validatorOf(never, new MemoryCounters());
    const find = (by: Caller, n: number) => void validator.find(by, `a-value-of-ours-${n}`);
    for (let n = 0; n < 8; n++) find(n % 2 === 0 ? caller : new SecondAccessKey(), n);
    expect(reads).toBe(8);
    find(new SecondAccessKey(), 8);
    expect(reads).toBe(8);
    find(new OtherAccount(), 9);
    expect(reads).toBe(9);
  });
});

function rowOf(name: string, rateLimit: number | null) {
  const id = ids('key');
  return {
    ...{ seq: 1, id, limit_group: id, project_id: projectId, account_id: accountId, name },
    ...{ hash: name, mask: 'live_******', env: 'live', is_active: 1, project_is_active: 1 },
    ...{ custom_meta_data: '{}', creation_context: '{}', created_at: 0, updated_at: 0 },
    ...{ custom_account_id: null, custom_user_id: null, expires_at: null, allowed_domains: null },
    ...{ permissions: null, allowed_ips: null, tags: null, starts_at: null, limits: null },
    ...NO_LEVELS,
    ...{ rate_limit: rateLimit, rate_limit_ttl: 60, first_used_at: 1, last_used_at: 1 },
  };
}

/** Responds asynchronously, like Redis. */
class LateCounters {
  readonly #windows = new MemoryCounters();
  onTake = () => {};
  take = async (...request: Parameters<MemoryCounters['take']>) => {
    this.onTake();
    return this.#windows.take(...request);
  };
  takeAll = this.#windows.takeAll.bind(this.#windows);
  lease = this.#windows.lease.bind(this.#windows);
  giveBack = this.#windows.giveBack.bind(this.#windows);
}

describe('a batch', () => {
  it('looks up again the keys that changed after their lookup', async () => {
    const values = Array.from({ length: 250 }, (_, n) => `a-value-of-ours-${n}`);
    const rows = new Map(
      values.map((value, n) => [secrets.hashValue(value), rowOf(value, n === 0 ? 1_000 : null)]),
    );
    const counters = new LateCounters();
    const { validator, bus } = validatorOf(
      (_, hash) => rows.get(hash) as unknown as KeyWithLevels,
      counters,
    );
    for (const value of values) await validator.validate(caller, value, NO_CONDITIONS);

    // When the limit of the first key is taken, every key has already been looked up.
    counters.onTake = () => {
      const revoked = rows.get(secrets.hashValue(values[200]!))!;
      revoked.is_active = 0;
      const { id, hash } = revoked;
      bus.publish([{ kind: 'api-key', id, hash, accountId, projectId }]);
    };
    const answer = await validateBatch({ validator, clock: Date.now }, caller, {
      values,
      conditions: NO_CONDITIONS,
    });
    const results: { code: string }[] = JSON.parse(answer.body);
    expect(results[200]!.code).toBe('key_revoked');
    expect(results.filter(({ code }) => code === 'valid')).toHaveLength(249);
  });
});

const names = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);
const surroundings = {
  project: { id: projectId, isActive: true, stale: false },
  policies: effectivePolicies({ ...NO_LEVELS, permissions: null, limits: null, allowed_ips: null }),
  changes: new ChangeCounts(createMemoryChangeBus()),
};
const keyOf = (name: string, rateLimit: number | null) =>
  new PreparedKey(rowOf(name, rateLimit) as unknown as KeyWithLevels, surroundings);
const verdicts: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constantFrom<Verdict>(
    { kind: 'refused', code: 'key_not_found' },
    { kind: 'refused', code: 'domain_denied' },
  ),
  names.map(
    (name): Verdict => ({ kind: 'valid', key: keyOf(name, null), taken: null, credits: null }),
  ),
  fc
    .record({
      ...{ name: names, limit: fc.integer({ min: 1, max: 2 ** 32 }), allowed: fc.boolean() },
      ...{ consumed: fc.nat(2 ** 32), waitMs: fc.integer({ min: -5, max: 31 * 86_400_000 }) },
    })
    .map(({ name, limit, allowed, consumed, waitMs }): Verdict => {
      const state = { consumed, resetAt: NOW + waitMs, isExceeded: !allowed };
      const taken = { refusedBy: allowed ? -1 : 0, states: [state] };
      const counted = { key: keyOf(name, limit), taken, credits: null };
      return allowed
        ? { kind: 'valid', ...counted }
        : { kind: 'limited', neverFits: false, ...counted };
    }),
);

describe('a result of a batch', () => {
  it('equals the output of JSON.stringify', () => {
    fc.assert(
      fc.property(verdicts, (verdict) => {
        expect(resultText(verdict, NOW)).toBe(JSON.stringify(expected(verdict)));
      }),
    );
  });
});

function expected(verdict: Verdict): unknown {
  if (verdict.kind === 'refused')
    return {
      ...{ valid: false, statusCode: verdict.code === 'domain_denied' ? 403 : 404 },
      code: verdict.code,
    };
  const { key } = verdict;
  const [state] = verdict.taken?.states ?? [];
  const limit = key.limits?.limits[0]?.limit ?? 0;
  const consumed = state && Math.min(state.consumed, limit);
  const rateLimit = state && {
    limit,
    remaining: limit - consumed!,
    consumed,
    reset: Math.ceil(state.resetAt / 1000),
    retryAfterSeconds: Math.max(0, state.resetAt - NOW) / 1000,
  };
  return {
    ...(verdict.kind === 'valid'
      ? { valid: true, statusCode: 200, code: 'valid', record: JSON.parse(key.body) }
      : { valid: false, statusCode: 429, code: 'rate_limited' }),
    ...(rateLimit && { rateLimit }),
  };
}
