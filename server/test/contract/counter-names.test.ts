import { NO_CONDITIONS } from '@keyward/rules/check-key.ts';
import { expect, it } from 'vitest';
import { createMemoryChangeBus } from '../../src/cluster/change-bus/memory.ts';
import type { CounterLimit } from '../../src/cluster/counters/counters.ts';
import { MemoryCounters } from '../../src/cluster/counters/memory.ts';
import { UsageTally, UsedAccessKey } from '../../src/features/analytics/index.ts';
import type { KeyWithLevels } from '../../src/features/api-keys/index.ts';
import { ChangeCounts, NO_LEVELS } from '../../src/features/policies/index.ts';
import { limitsOf } from '../../src/features/portal/key-view.ts';
import { ProjectStates } from '../../src/features/projects/index.ts';
import { KeyLeases, type LeaseVerdict } from '../../src/features/validation/leases/key-leases.ts';
import { Validator } from '../../src/features/validation/validator.ts';
import type { Caller, Verdict } from '../../src/features/validation/verdict.ts';
import { acceptanceResponse } from '../../src/features/validation/wire/responses.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { ResponseBudget } from '../../src/kernel/response-budget.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import { noCredits } from '../harness/no-credits.ts';

// Memory, Redis and `rate_windows` keep windows under the names of counters. With another name, an upgrade
// would open a new window for every key, and nodes of two versions would count apart. So these names, and the
// limits that count in them, must never change.

const NOW = Date.UTC(2030, 0, 1);
const nothing = {} as never;

class TestCaller extends UsedAccessKey implements Caller {
  readonly seq = 1;
  readonly accountId = 'acc_1';
  readonly projectIds = null;
}
const caller = new TestCaller();
type Acceptance = Extract<Verdict, { kind: 'valid' }>;
type Leased = Extract<LeaseVerdict, { kind: 'leased' }>;

const rowOf = (change: Partial<KeyWithLevels>) =>
  ({
    ...{ seq: 1, id: 'key_1', limit_group: 'key_1', project_id: 'prj_1', account_id: 'acc_1' },
    ...{ name: 'a key', hash: 'x', mask: 'live_******', env: 'live' },
    ...{ is_active: 1, project_is_active: 1, first_used_at: 1, last_used_at: 1 },
    ...{ custom_meta_data: '{}', creation_context: '{}', created_at: 0, updated_at: 0 },
    ...{ custom_account_id: null, custom_user_id: null, expires_at: null, allowed_domains: null },
    ...{ permissions: null, allowed_ips: null, tags: null, starts_at: null, limits: null },
    ...NO_LEVELS,
    ...{ rate_limit: null, rate_limit_ttl: null, ...change },
  }) as unknown as KeyWithLevels;

const PLAIN = { per: 'key', algorithm: 'fixed', mode: 'enforce' };
const limit = (name: string, rateLimit: number, change: Partial<typeof PLAIN> = {}) => ({
  ...{ name, rateLimit, rateLimitTtl: 60, ...PLAIN, ...change },
});
const limits = (...each: ReturnType<typeof limit>[]) => JSON.stringify(each);
const shared = { per: 'customer' };

const CONFIGS = { rate_limit: 9, rate_limit_ttl: 1 };
const OWN = { limits: limits(limit('a', 5), limit('b', 6, shared)) };
const CUSTOMER = { custom_account_id: 'acme' };
const CUSTOMER_LIMITS = { customer_id: 'cus_1', customer_revision: 1 };
const OF_CUSTOMER = {
  ...{ ...CUSTOMER, ...CUSTOMER_LIMITS },
  customer_limits: limits(limit('b', 7, shared), limit('c', 8)),
};
const PLAN = {
  ...{ effective_plan_id: 'pln_1', plan_revision: 1 },
  plan_limits: limits(limit('a', 30), limit('d', 40, shared)),
};
const OTHER_WAYS = {
  limits: limits(
    limit('a', 5, { algorithm: 'sliding' }),
    limit('b', 6, { mode: 'shadow' }),
    limit('c', 7, { ...shared, algorithm: 'sliding', mode: 'shadow' }),
  ),
};
const ACCOUNTED = {
  limits: JSON.stringify([
    { ...limit('a', 5), unit: 'tokens' },
    { ...limit('b', 6, shared), for: ['*'] },
    { ...PLAIN, ...shared, name: 'c', rateLimit: 7, interval: 'month' },
    { ...PLAIN, name: 'd', rateLimit: 8, interval: 'day', unit: 'tokens', timezone: 'Asia/Tokyo' },
  ]),
};
const ROTATED = { id: 'key_2', limit_group: 'key_1' };

const CASES: Readonly<Record<string, Partial<KeyWithLevels>>> = {
  'no limit': {},
  'no limit, customer': CUSTOMER,
  rateLimitConfigs: CONFIGS,
  'rateLimitConfigs, customer': { ...CONFIGS, ...CUSTOMER },
  'rateLimitConfigs, rotated, customer': { ...CONFIGS, ...ROTATED, ...CUSTOMER },
  limits: OWN,
  'limits, customer': { ...OWN, ...CUSTOMER },
  'rateLimitConfigs, limits': { ...CONFIGS, ...OWN },
  'rateLimitConfigs, limits, customer': { ...CONFIGS, ...OWN, ...CUSTOMER },
  'rateLimitConfigs, limits, rotated, customer': { ...CONFIGS, ...OWN, ...ROTATED, ...CUSTOMER },
  'limits of the customer': OF_CUSTOMER,
  'rateLimitConfigs, limits of the customer': { ...CONFIGS, ...OF_CUSTOMER },
  'limits of the plan': PLAN,
  'rateLimitConfigs, limits of the plan': { ...CONFIGS, ...PLAN },
  'rateLimitConfigs, limits of the plan, customer': { ...CONFIGS, ...PLAN, ...CUSTOMER },
  'limits of all levels': { ...OWN, ...OF_CUSTOMER, ...PLAN },
  'rateLimitConfigs, limits of all levels': { ...CONFIGS, ...OWN, ...OF_CUSTOMER, ...PLAN },
  'sliding and shadow': OTHER_WAYS,
  'rateLimitConfigs, sliding and shadow': { ...CONFIGS, ...OTHER_WAYS },
  'units and calendars': ACCOUNTED,
  'units and calendars, customer': { ...ACCOUNTED, ...CUSTOMER },
};

const GROUP = 'cst_Quv4GM2TAAWEoo6UwEsDv3';

/** The names of the limits of each key, and their counters with limit and window. */
const COUNTERS: Readonly<Record<string, readonly string[]>> = {
  'no limit': [],
  'no limit, customer': [],
  rateLimitConfigs: ['default = key_1 9/1000'],
  'rateLimitConfigs, customer': ['default = key_1 9/1000'],
  'rateLimitConfigs, rotated, customer': ['default = key_1 9/1000'],
  limits: ['a = key_1:a 5/60000', 'b = key_1:b 6/60000'],
  'limits, customer': [`a = ${GROUP}:key_1:a 5/60000`, `b = ${GROUP}:b 6/60000`],
  'rateLimitConfigs, limits': [
    'default = key_1:default 9/1000',
    'a = key_1:a 5/60000',
    'b = key_1:b 6/60000',
  ],
  'rateLimitConfigs, limits, customer': [
    `default = ${GROUP}:key_1:default 9/1000`,
    `a = ${GROUP}:key_1:a 5/60000`,
    `b = ${GROUP}:b 6/60000`,
  ],
  'rateLimitConfigs, limits, rotated, customer': [
    `default = ${GROUP}:key_1:default 9/1000`,
    `a = ${GROUP}:key_1:a 5/60000`,
    `b = ${GROUP}:b 6/60000`,
  ],
  'limits of the customer': [`b = ${GROUP}:b 7/60000`, `c = ${GROUP}:key_1:c 8/60000`],
  'rateLimitConfigs, limits of the customer': [
    `default = ${GROUP}:key_1:default 9/1000`,
    `b = ${GROUP}:b 7/60000`,
    `c = ${GROUP}:key_1:c 8/60000`,
  ],
  'limits of the plan': ['a = key_1:a 30/60000', 'd = key_1:d 40/60000'],
  'rateLimitConfigs, limits of the plan': [
    'default = key_1:default 9/1000',
    'a = key_1:a 30/60000',
    'd = key_1:d 40/60000',
  ],
  'rateLimitConfigs, limits of the plan, customer': [
    `default = ${GROUP}:key_1:default 9/1000`,
    `a = ${GROUP}:key_1:a 30/60000`,
    `d = ${GROUP}:d 40/60000`,
  ],
  'limits of all levels': [
    `a = ${GROUP}:key_1:a 5/60000`,
    `d = ${GROUP}:d 40/60000`,
    `b = ${GROUP}:b 6/60000`,
    `c = ${GROUP}:key_1:c 8/60000`,
  ],
  'rateLimitConfigs, limits of all levels': [
    `default = ${GROUP}:key_1:default 9/1000`,
    `a = ${GROUP}:key_1:a 5/60000`,
    `d = ${GROUP}:d 40/60000`,
    `b = ${GROUP}:b 6/60000`,
    `c = ${GROUP}:key_1:c 8/60000`,
  ],
  'sliding and shadow': [
    'a = key_1:a 5/60000 sliding',
    'b = key_1:b 6/60000 shadow',
    'c = key_1:c 7/60000 sliding shadow',
  ],
  'rateLimitConfigs, sliding and shadow': [
    'default = key_1:default 9/1000',
    'a = key_1:a 5/60000 sliding',
    'b = key_1:b 6/60000 shadow',
    'c = key_1:c 7/60000 sliding shadow',
  ],
  'units and calendars': [
    'a = key_1:a:tokens 5/60000',
    'b = key_1:b 6/60000',
    'c = key_1:c/month 7/2678400000',
    'd = key_1:d:tokens/day 8/86400000',
  ],
  'units and calendars, customer': [
    `a = ${GROUP}:key_1:a:tokens 5/60000`,
    `b = ${GROUP}:b 6/60000`,
    `c = ${GROUP}:c/month 7/2678400000`,
    `d = ${GROUP}:key_1:d:tokens/day 8/86400000`,
  ],
};

const textOf = ({ counter, limit: most, ttlMs, isSliding, isEnforced }: CounterLimit) =>
  `${counter} ${most}/${ttlMs}${isSliding ? ' sliding' : ''}${isEnforced ? '' : ' shadow'}`;

/** Counts in memory, and notes which counters are named and how. */
class NotedCounters extends MemoryCounters {
  noted: string[] = [];

  override take(...[counter, most, ttlMs, now]: Parameters<MemoryCounters['take']>) {
    this.noted.push(`take ${counter} ${most}/${ttlMs}`);
    return super.take(counter, most, ttlMs, now);
  }

  override takeAll(...[set, cost, now, isDry]: Parameters<MemoryCounters['takeAll']>) {
    this.noted.push(`takeAll ${set.group}`, ...set.limits.map(textOf));
    return super.takeAll(set, cost, now, isDry);
  }

  override lease(...[request, now]: Parameters<MemoryCounters['lease']>) {
    this.noted.push(textOf({ ...request, isEnforced: true }));
    return super.lease(request, now);
  }
}

async function observed(row: KeyWithLevels) {
  const bus = createMemoryChangeBus();
  const counters = new NotedCounters();
  const clock = () => NOW;
  const validator = new Validator({
    ...{ readKey: () => row, counters, bus, clock, credits: noCredits, cacheBytes: 1 << 20 },
    secrets: deriveSecrets('a root secret for this test, and for nothing else'),
    projects: new ProjectStates(bus),
    levelChanges: new ChangeCounts(bus),
    tally: new UsageTally({ write: nothing, onError: nothing }),
    responses: new ResponseBudget(),
  });
  const leases = new KeyLeases({
    ...{ validator, counters, bus, clock, ids: createIds() },
    credits: nothing,
  });
  const value = 'a-value-of-a-test';
  const verdict = (await validator.validate(caller, value, NO_CONDITIONS)) as Acceptance;
  const taken = counters.noted.splice(0);
  await validator.validate(caller, value, { ...NO_CONDITIONS, cost: 2 });
  const takenTwo = counters.noted.splice(0);
  const wanted = { amount: 1, needed: 1 };
  const leased = await leases.lease(caller, value, NO_CONDITIONS, {
    ...{ policies: true, accounting: true, use: NO_CONDITIONS },
    ...{ limit: () => wanted, credits: wanted },
  });
  const { headers, body } = acceptanceResponse(verdict, NOW);
  const { rateLimits } = JSON.parse(String(body)) as { rateLimits?: { name: string }[] };
  return {
    taken,
    takenTwo,
    leased: counters.noted,
    leasedNames: (leased as Leased).limits.map(({ name }) => name),
    inPortal: limitsOf(row).map(({ settings, limit: of }) => `${settings.name} = ${textOf(of)}`),
    sharedInPortal: limitsOf(row).flatMap(({ settings, isShared }) =>
      isShared ? settings.name : [],
    ),
    groupsInPortal: new Set(limitsOf(row).map(({ group }) => group)),
    headers: headers!.filter((name) => /^ratelimit-?/i.test(name)),
    rateLimits: rateLimits?.map(({ name }) => name),
  };
}

const SEVERAL = ['RateLimit-Policy', 'RateLimit'];
const ONE_LIMIT = ['limit', 'remaining', 'reset', 'consumed'].map((name) => `ratelimit-${name}`);

it.each(Object.entries(CASES))('%s: the counters of the key', async (name, change) => {
  const limitsAndCounters = COUNTERS[name]!;
  const counters = limitsAndCounters.map((each) => each.split(' = ')[1]!);
  const names = limitsAndCounters.map((each) => each.split(' = ')[0]!);
  const isDefaultAlone = names.join() === 'default';
  const group = counters[0]?.split(/[: ]/)[0];
  const set = group === undefined ? [] : [`takeAll ${group}`, ...counters];
  const enforced = limitsAndCounters.filter((each) => !each.endsWith(' shadow'));
  expect(await observed(rowOf(change))).toEqual({
    // One request of a key with this limit only is counted in one call, without a set.
    taken: isDefaultAlone ? [`take ${counters[0]}`] : set,
    takenTwo: set,
    leased: counters.map((each) => each.replace(' shadow', '')),
    leasedNames: names,
    inPortal: enforced,
    sharedInPortal: names.filter((_, n) =>
      new RegExp(`^${GROUP}:${names[n]}[ :/]`).test(counters[n]!),
    ),
    groupsInPortal: new Set(group === undefined ? [] : [group]),
    headers: isDefaultAlone ? ONE_LIMIT : names.length === 0 ? [] : [...ONE_LIMIT, ...SEVERAL],
    rateLimits: isDefaultAlone || names.length === 0 ? undefined : names,
  });
});

it('every case has its counters', () => {
  expect(Object.keys(COUNTERS)).toEqual(Object.keys(CASES));
});
