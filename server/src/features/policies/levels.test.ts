import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeLevels,
  effectivePolicies,
  type Level,
  NO_LEVELS,
  SharedPolicies,
} from './levels.ts';
import type { Limit } from './schema.ts';

const UNSET = { permissions: null, limits: null, allowed_ips: null, plan_id: null };

const limits = fc.option(
  fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('second', 'day', 'month'),
      rateLimit: fc.integer({ min: 1, max: 9 }),
    }),
    { selector: ({ name }) => name, minLength: 1 },
  ),
);
const list = (...items: string[]) => fc.option(fc.subarray(items, { minLength: 1 }));
const level = fc.record({
  permissions: list('a', 'b', 'c'),
  limits,
  allowedIPs: list('10.0.0.0/8', '203.0.113.7'),
});
const text = (value: unknown) => (value === null ? null : JSON.stringify(value));

const rows = fc.record({ key: level, customer: level, plan: level }).map((levels) => ({
  levels,
  row: {
    ...NO_LEVELS,
    plan_id: 'pln_1',
    permissions: text(levels.key.permissions),
    limits: text(levels.key.limits),
    allowed_ips: text(levels.key.allowedIPs),
    effective_plan_id: 'pln_1',
    plan_revision: 1,
    plan_permissions: text(levels.plan.permissions),
    plan_limits: text(levels.plan.limits),
    plan_allowed_ips: text(levels.plan.allowedIPs),
    customer_id: 'cus_1',
    customer_revision: 1,
    customer_permissions: text(levels.customer.permissions),
    customer_limits: text(levels.customer.limits),
    customer_allowed_ips: text(levels.customer.allowedIPs),
  },
}));

const NEAREST: readonly Level[] = ['key', 'customer', 'plan'];

describe('the levels of a key', () => {
  it('give the most specific permissions and addresses, and the most specific limit of each name', () => {
    fc.assert(
      fc.property(rows, ({ levels, row }) => {
        const shown = describeLevels(row);
        const policies = effectivePolicies(row);
        for (const field of ['permissions', 'allowedIPs'] as const) {
          const at = NEAREST.find((each) => levels[each][field] !== null) ?? null;
          expect(shown.levels[field]).toBe(at);
          const nothing = field === 'permissions' ? [] : null;
          expect(shown[field]).toEqual(at === null ? nothing : levels[at][field]);
        }
        expect(JSON.parse(policies.permissions ?? '[]')).toEqual(shown.permissions);
        expect(policies.allowedIPs?.map((range) => range.text) ?? null).toEqual(shown.allowedIPs);
        const names = new Set(NEAREST.flatMap((each) => levels[each].limits ?? []).map(nameOf));
        expect(new Set(shown.limits.map(nameOf))).toEqual(names);
        for (const limit of shown.limits) {
          const at = NEAREST.find((each) =>
            levels[each].limits?.some((l) => l.name === limit.name),
          )!;
          expect(shown.levels.limits[limit.name]).toBe(at);
          expect(levels[at].limits).toContainEqual(limit);
        }
        expect(policies.limits).toEqual(shown.limits);
      }),
    );
  });

  it('list the limits of the plan first, then those of the customer, then those of the key', () => {
    const only = (name: string) => JSON.stringify([{ name }]);
    const row = {
      ...NO_LEVELS,
      ...UNSET,
      limits: only('of-key'),
      customer_limits: only('of-customer'),
      plan_limits: only('of-plan'),
    };
    expect(effectivePolicies(row).limits.map(nameOf)).toEqual(['of-plan', 'of-customer', 'of-key']);
  });

  it('name where the plan and the credits come from', () => {
    const of = (fields: object) => describeLevels({ ...NO_LEVELS, ...UNSET, ...fields }).levels;
    expect(of({}).planId).toBeNull();
    expect(of({ effective_plan_id: 'p' }).planId).toBe('project');
    expect(of({ effective_plan_id: 'p', customer_plan_id: 'p' }).planId).toBe('customer');
    expect(of({ effective_plan_id: 'p', customer_plan_id: 'q', plan_id: 'p' }).planId).toBe('key');
    expect(of({}).credits).toBeNull();
    expect(of({ plan_credits: '{}' }).credits).toBe('plan');
    expect(of({ plan_credits: '{}', customer_pool: 'c' }).credits).toBe('customer');
    expect(of({ customer_pool: 'c', key_pool: 'k' }).credits).toBe('key');
  });
});

describe('shared policies', () => {
  const shared = new SharedPolicies();
  const onPlan = {
    ...NO_LEVELS,
    ...UNSET,
    effective_plan_id: 'pln_1',
    plan_revision: 1,
    plan_permissions: '["a"]',
  };

  it('are one object for all keys of a plan that set nothing themselves', () => {
    const policies = shared.of(onPlan);
    expect(shared.of({ ...onPlan })).toBe(policies);
    // Two customers without settings of their own.
    expect(shared.of({ ...onPlan, customer_id: 'cus_1', customer_revision: 3 })).toBe(policies);
    expect(shared.of({ ...onPlan, customer_id: 'cus_2', customer_revision: 1 })).toBe(policies);
    expect(shared.of({ ...NO_LEVELS, ...UNSET })).toBe(shared.of({ ...NO_LEVELS, ...UNSET }));
  });

  it('differ if the plan has another revision, or the customer or the key has settings of its own', () => {
    const policies = shared.of(onPlan);
    const changed = { ...onPlan, plan_revision: 2, plan_permissions: '["b"]' };
    expect(shared.of(changed).permissions).toBe('["b"]');
    const ofCustomer = (customer_revision: number, customer_permissions: string) =>
      shared.of({ ...onPlan, customer_id: 'cus_1', customer_revision, customer_permissions });
    expect(ofCustomer(1, '["c"]').permissions).toBe('["c"]');
    expect(ofCustomer(2, '["d"]').permissions).toBe('["d"]');
    expect(shared.of({ ...onPlan, permissions: '["own"]' }).permissions).toBe('["own"]');
    expect(shared.of(onPlan)).toBe(policies);
  });

  it('are kept for at most 10,000 plans and customers, and still right beyond that', () => {
    const of = (n: number) =>
      bounded.of({ ...onPlan, effective_plan_id: `pln_${n}`, plan_permissions: `["p${n}"]` });
    const bounded = new SharedPolicies();
    const first = of(0);
    for (let n = 1; n < 10_000; n++) of(n);
    expect(of(0)).toBe(first);
    expect(of(10_000).permissions).toBe('["p10000"]');
    expect(of(0)).not.toBe(first);
    expect(of(0)).toEqual(first);
  });
});

function nameOf({ name }: Pick<Limit, 'name'>): string {
  return name;
}
