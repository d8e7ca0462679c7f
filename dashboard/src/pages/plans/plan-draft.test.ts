import type { Plan } from 'keyward';
import { describe, expect, it } from 'vitest';
import { newLimitRow } from '../../text/limits/limit-rows.ts';
import { EMPTY_PLAN, PLAN_RULES, planDraft, termsOf } from './plan-draft.ts';

const PLAN: Plan = {
  id: 'pln_1',
  projectId: 'prj_1',
  name: 'Pro',
  permissions: ['documents.*'],
  limits: [
    {
      name: 'day',
      rateLimit: 100,
      rateLimitTtl: 86_400,
      per: 'customer',
      algorithm: 'sliding',
      mode: 'shadow',
    },
  ],
  allowedIPs: ['10.0.0.0/8'],
  credits: { amount: 1000, interval: 'month' },
  createdAt: '2029-01-01T00:00:00.000Z',
  updatedAt: '2029-01-01T00:00:00.000Z',
};

describe('plan draft', () => {
  const draft = planDraft(PLAN);

  it('sends nothing if nothing was changed', () => {
    expect(PLAN_RULES.check(draft, draft)).toEqual({ ok: true, body: {} });
  });

  it('sends the changed fields, and empty lists or null for cleared ones', () => {
    const cleared = {
      name: ' Scale ',
      permissions: '',
      limits: [],
      allowedIPs: ' ',
      credits: { ...draft.credits, on: false },
    };
    expect(PLAN_RULES.check(cleared, draft)).toEqual({
      ok: true,
      body: { name: 'Scale', permissions: [], limits: [], allowedIPs: null, credits: null },
    });
  });

  it('reports every invalid field', () => {
    const invalid = {
      name: ' ',
      permissions: 'billing*',
      limits: [{ ...newLimitRow([]), requests: 'many' }],
      allowedIPs: '10.0.0',
      credits: { ...draft.credits, amount: '-1' },
    };
    const checked = PLAN_RULES.check(invalid, EMPTY_PLAN);
    expect(Object.keys(checked.ok ? {} : checked.errors).sort()).toEqual(
      Object.keys(invalid).sort(),
    );
    expect(termsOf(invalid)).toEqual({
      permissions: [],
      limits: [],
      allowedIPs: [],
      credits: null,
    });
  });

  it('shows the settings of a key on the plan', () => {
    const { permissions, limits, allowedIPs, credits } = PLAN;
    expect(termsOf(draft)).toEqual({ permissions, limits, allowedIPs, credits });
  });

  it('shows an error of the server at its field', () => {
    const { serverErrors } = PLAN_RULES;
    expect(serverErrors('limits: two limits have the name "a".', 'limits')).toHaveProperty(
      'limits',
    );
    expect(serverErrors('Something else', null)).toBeNull();
  });
});
