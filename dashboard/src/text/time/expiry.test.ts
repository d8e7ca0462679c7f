import { describe, expect, it, onTestFinished } from 'vitest';
import { chosenExpiry, expiryChoice, momentOf, NEVER } from './expiry.ts';
import { setTimeZone } from './time-zone.ts';

const NOW = Date.UTC(2030, 0, 1, 12);

describe('expiry', () => {
  it('is null for "never", and now plus the duration otherwise', () => {
    expect(chosenExpiry(NEVER, NOW)).toBeNull();
    expect(chosenExpiry({ choice: '30d', moment: '' }, NOW)).toBe('2030-01-31T12:00:00.000Z');
  });

  it('is undefined if the date and time is invalid', () => {
    expect(chosenExpiry({ choice: 'moment', moment: '' }, NOW)).toBeUndefined();
    expect(chosenExpiry({ choice: 'moment', moment: 'soon' }, NOW)).toBeUndefined();
  });

  it('is in UTC if all pages show UTC', () => {
    setTimeZone('utc');
    onTestFinished(() => setTimeZone('local'));
    expect(momentOf(NOW)).toBe('2030-01-01T12:00');
    const choice = { choice: 'moment', moment: '2030-01-31T12:00' } as const;
    expect(chosenExpiry(choice, NOW)).toBe('2030-01-31T12:00:00.000Z');
  });

  it('survives a round trip through the field, to the minute', () => {
    for (const at of ['2030-03-31T01:30:00.000Z', '2030-10-27T12:00:00.000Z'])
      expect(chosenExpiry(expiryChoice(at), NOW)).toBe(at);
    expect(expiryChoice(null)).toEqual(NEVER);
    expect(momentOf(NOW)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
  });
});
