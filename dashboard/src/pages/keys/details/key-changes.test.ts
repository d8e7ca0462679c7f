import { expect, it } from 'vitest';
import { stateOf } from '../key-state.ts';
import { changesOf, headlineOf } from './key-changes.ts';

const NOW = Date.UTC(2030, 0, 1);
const DAY = 86_400_000;

it.each([
  [true, null, 'active'],
  [true, 30, 'active'],
  [true, 14, 'expiring'],
  [true, 0, 'expired'],
  [true, -1, 'expired'],
  [false, 30, 'revoked'],
  [false, -1, 'revoked'],
])('a key (active: %s) that ends in %s days is %s', (isActive, days, state) => {
  const expiresAt = days === null ? null : new Date(NOW + days * DAY).toISOString();
  expect(stateOf({ isActive, expiresAt }, NOW)).toBe(state);
});

it('tells what was changed, in words, and nothing that was not', () => {
  const before = { name: 'a', rateLimitConfigs: null, updatedAt: '1', customMetaData: { a: 1 } };
  const after = {
    ...before,
    name: '<b>',
    updatedAt: '2',
    rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
    customMetaData: { a: 'x'.repeat(400) },
  };
  const changes = changesOf({ action: 'api-key.updated', before, after });
  expect(changes.map(({ field }) => field)).toEqual(['Name', 'Rate limit', 'Metadata']);
  expect(changes[1]).toMatchObject({ before: 'none', after: '10 requests per minute' });
  expect(changes[2]!.after.length).toBeLessThan(210);
  expect(headlineOf({ action: 'api-key.deleted', before, after })).toBe('Revoked');
});
