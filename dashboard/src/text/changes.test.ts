import { expect, it } from 'vitest';
import { changedFields, changesOf, conflictsOf } from './changes.ts';

it('lists the changed fields of a record', () => {
  const before = { name: 'a', rateLimitConfigs: null, updatedAt: '1', customMetaData: { a: 1 } };
  const after = {
    ...before,
    name: '<b>',
    updatedAt: '2',
    rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
    customMetaData: { a: 'x'.repeat(400) },
  };
  const changes = changesOf(before, after);
  expect(changes.map(({ field }) => field)).toEqual(['Name', 'Rate limit', 'Metadata']);
  expect(changes[1]).toMatchObject({ before: 'none', after: '10 requests per minute' });
  expect(changes[2]!.after.length).toBeLessThan(210);
});

it('describes plans by name, limits and credits in words', () => {
  const before = { planId: 'pln_1', limits: [], credits: null };
  const credits = { remaining: 500, refill: null, nextRefillAt: null };
  const limit = { name: 'day', rateLimit: 5, rateLimitTtl: 86_400 };
  const limits = [{ ...limit, per: 'key', algorithm: 'fixed', mode: 'enforce' }];
  const after = { planId: null, limits, credits };
  expect(changesOf(before, after, (id) => (id === 'pln_1' ? 'Pro' : id))).toEqual([
    { field: 'Plan', before: 'Pro', after: 'none' },
    { field: 'Limits', before: 'none', after: 'day: 5 requests per day' },
    { field: 'Credits', before: 'none', after: '500 left, not refilled' },
  ]);
  expect(changesOf({ credits: { amount: 5, interval: 'day' } }, { credits: null })[0]?.before).toBe(
    '5 credits, refilled every day',
  );
});

it('finds a conflict only if two users changed the same field to different values', () => {
  const seen = { name: 'Acme', url: 'https://a.example', topics: ['api-key.created'] };
  const theirs = { ...seen, name: 'Acme, theirs', url: 'https://b.example' };
  const own = changedFields(seen, { ...seen, name: 'Acme, mine', topics: ['api-key.deleted'] });
  expect(own).toEqual({ name: 'Acme, mine', topics: ['api-key.deleted'] });
  expect(conflictsOf(seen, theirs, own)).toEqual([
    { field: 'Name', before: 'Acme, theirs', after: 'Acme, mine' },
  ]);
  expect(conflictsOf(seen, theirs, { name: 'Acme, theirs' })).toEqual([]);
});

it('shows a conflict in a field without a text by the name of the field', () => {
  const changes = conflictsOf({ region: null }, { region: 'eu' }, { region: { id: 'us' } });
  expect(changes).toEqual([{ field: 'region', before: 'eu', after: '{"id":"us"}' }]);
  const onLeak = conflictsOf({ onLeak: 'notify' }, { onLeak: 'revoke' }, { onLeak: 'both' });
  expect(onLeak).toEqual([{ field: 'On leak', before: 'revoke', after: 'both' }]);
});
