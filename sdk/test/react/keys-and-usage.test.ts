import { expect, it } from 'vitest';
import { checkDate, checkName, expiryOf } from '../../src/react/keys/key-form.ts';
import { messagesOf } from '../../src/react/text/locale.ts';
import { bucketStarts, usageBuckets, usageQuery } from '../../src/react/usage/ranges.ts';

const NOW = Date.UTC(2030, 5, 15, 12, 34);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (time: number) => new Date(time).toISOString();
const { form } = messagesOf('en');

it('checks the form of a new key', () => {
  expect(checkName('  ', form)).toBe(form.nameMissing);
  expect(checkName('x'.repeat(257), form)).toBe(form.nameTooLong);
  expect(checkName('x'.repeat(256), form)).toBeNull();
  expect(checkDate('', NOW, form)).toBe(form.expiryPast);
  expect(checkDate('2030-06-13', NOW, form)).toBe(form.expiryPast);
  expect(checkDate('2030-06-17', NOW, form)).toBeNull();
  expect(expiryOf('never', '', NOW)).toBeNull();
  expect(expiryOf('30', '', NOW)).toBe(at(NOW + 30 * DAY));
  expect(new Date(expiryOf('date', '2030-06-17', NOW)!).getHours()).toBe(23);
});

it.each([
  ['day', 24, 'hour'],
  ['week', 7, 'day'],
  ['month', 30, 'day'],
] as const)('a %s has %d buckets, the last of them the present one', (range, count, interval) => {
  const starts = bucketStarts(range, NOW);
  expect(starts).toHaveLength(count);
  expect(starts.at(-1)).toBeLessThanOrEqual(NOW);
  expect(NOW - starts.at(-1)!).toBeLessThan(interval === 'hour' ? HOUR : 25 * HOUR);
  expect(usageQuery(range, NOW, 'key_1')).toMatchObject({
    interval,
    from: at(starts[0]!),
    key: 'key_1',
  });
});

it('adds up the rows of a bucket, and leaves out older ones', () => {
  const starts = bucketStarts('day', NOW);
  const rows = [
    { date: at(starts[0]! - HOUR), total: 100, valid: 100 },
    { date: at(starts[3]!), total: 5, valid: 5 },
    { date: at(starts[3]!), total: 2, valid: 0 },
    { date: at(starts[23]!), total: 1, valid: 1 },
  ];
  const buckets = usageBuckets('day', NOW, rows);
  expect(buckets[3]).toEqual({ at: starts[3], accepted: 5, rejected: 2 });
  expect(buckets[23]).toEqual({ at: starts[23], accepted: 1, rejected: 0 });
  expect(buckets.reduce((sum, { accepted, rejected }) => sum + accepted + rejected, 0)).toBe(8);
});
