import fc from 'fast-check';
import { expect, it } from 'vitest';
import { closestField, closestMatch, editDistance } from './suggestions.ts';

it.each([
  ['keys lst', 'keys list'],
  ['kesy list', 'keys list'],
  ['projects crate', 'projects create'],
])('%s probably means %s', (typed, meant) => {
  expect(closestMatch(typed, ['keys list', 'keys get', 'projects create', 'projects get'])).toBe(
    meant,
  );
});

it('guesses nothing when nothing is near', () => {
  expect(closestMatch('bogus', ['keys list', 'serve'])).toBeNull();
  expect(closestMatch('', ['keys list'])).toBeNull();
});

it('the edit distance is symmetric, and 0 only between equal texts', () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, a)).toBe(0);
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});

const CREATE_KEY = [
  ...['name', 'projectId', 'key', 'customMetaData', 'customAccountId', 'customUserId', 'expiry'],
  ...['rateLimitConfigs', 'allowedDomains', 'clientIP', 'clientUserAgent'],
];

it.each([
  ['expiresAt', 'expiry'],
  ['expires_at', 'expiry'],
  ['Name', 'name'],
  ['NAME', 'name'],
  ['projectid', 'projectId'],
  ['project', 'projectId'],
  ['metadata', 'customMetaData'],
  ['custom_user_id', 'customUserId'],
  ['rateLimit', 'rateLimitConfigs'],
  ['domains', 'allowedDomains'],
  // Several fields contain it, it is too short, or no field is near.
  ['custom', null],
  ['ip', null],
  ['colour', null],
  // Longer than any name: not compared at all.
  [`expiry${'y'.repeat(60)}`, null],
  ['', null],
])('for the unknown field %j suggests %j', (typed, meant) => {
  expect(closestField(typed, CREATE_KEY)).toBe(meant);
});
