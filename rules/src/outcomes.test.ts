import { expect, it } from 'vitest';
import { KEY_OUTCOMES } from './outcomes.ts';

it('keeps the order in which entries of the journal are stored', () => {
  expect(KEY_OUTCOMES.slice(0, 9)).toEqual([
    'valid',
    'rate_limited',
    'revoked',
    'expired',
    'domain_denied',
    'not_started',
    'ip_denied',
    'permission_denied',
    'credits_exhausted',
  ]);
});
