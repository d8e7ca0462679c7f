import type { Customer } from 'keyward';
import { describe, expect, it } from 'vitest';
import { CUSTOMER_RULES, customerDraft, emptyCustomer } from './customer-draft.ts';

const CUSTOMER: Customer = {
  id: 'cus_1',
  projectId: 'prj_1',
  customAccountId: 'acme',
  name: 'Acme Inc.',
  email: 'api@acme.example',
  planId: 'pln_1',
  customMetaData: { seats: 3 },
  tags: ['beta'],
  permissions: [],
  limits: [],
  allowedIPs: null,
  credits: { remaining: 7, refill: null, nextRefillAt: null },
  createdAt: '2029-01-01T00:00:00.000Z',
  updatedAt: '2029-01-01T00:00:00.000Z',
};

describe('customer draft', () => {
  const draft = customerDraft(CUSTOMER);
  const { check } = CUSTOMER_RULES;

  it('sends nothing if nothing was changed', () => {
    expect(check(draft, draft)).toEqual({ ok: true, body: {} });
  });

  it('sends null for cleared fields', () => {
    const cleared = { ...draft, name: ' ', email: '', planId: '', tags: '', metadata: '' };
    expect(check(cleared, draft)).toEqual({
      ok: true,
      body: { name: null, email: null, planId: null, tags: [], customMetaData: {} },
    });
  });

  it('sends a changed refill without the remaining credits', () => {
    const credits = { ...draft.credits, interval: 'day', amount: '50' } as const;
    expect(check({ ...draft, credits }, draft)).toMatchObject({
      body: { credits: { refill: { amount: 50, interval: 'day', timezone: 'UTC' } } },
    });
  });

  it('reports every invalid field', () => {
    const invalid = { ...emptyCustomer(' '), email: 'acme', tags: 'Beta', metadata: '{' };
    const checked = check(invalid, emptyCustomer(''));
    expect(Object.keys(checked.ok ? {} : checked.errors).sort()).toEqual([
      'customAccountId',
      'email',
      'metadata',
      'tags',
    ]);
  });
});
