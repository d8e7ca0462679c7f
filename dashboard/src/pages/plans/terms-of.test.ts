import { PLAN } from '@keyward/rules/resources/plan.ts';
import { expect, it } from 'vitest';
import { draftOf } from '../../fields/drafts.ts';
import { newLimitRow } from '../../text/limits/limit-rows.ts';
import { termsOf } from './terms-of.ts';

const limit = {
  rateLimit: 100,
  rateLimitTtl: 86_400,
  algorithm: 'sliding',
  mode: 'shadow',
} as const;

const TERMS = {
  permissions: ['documents.*'],
  limits: [{ name: 'day', ...limit, per: 'customer' as const }],
  allowedIPs: ['10.0.0.0/8'],
  credits: { amount: 1000, interval: 'month' as const },
};

it('shows the settings of a key on the plan, without those that are invalid', () => {
  const draft = draftOf(PLAN, { name: 'Pro', ...TERMS });
  expect(termsOf(draft)).toEqual(TERMS);
  const invalid = {
    name: ' ',
    permissions: 'billing*',
    limits: [{ ...newLimitRow([]), requests: 'many' }],
    allowedIPs: '10.0.0',
    credits: { ...draft.credits, amount: '-1' },
  };
  const none = { permissions: [], limits: [], allowedIPs: null, credits: null };
  expect(termsOf(invalid)).toEqual(none);
});
