import { describe, expect, it } from 'vitest';
import { KeywardError } from '../errors.ts';
import { graceEnd, readExpiry } from './expiry.ts';

const TIME = Date.parse('2030-01-01T00:00:00Z');

function refusalOf(text: string, notBefore: number | null): KeywardError {
  try {
    readExpiry(text, notBefore);
  } catch (error) {
    if (error instanceof KeywardError) return error;
  }
  throw new Error('not refused');
}

describe('readExpiry', () => {
  it('reads a time in the future, or any time without a limit', () => {
    expect(readExpiry('2030-01-01', TIME - 1)).toBe(TIME);
    expect(readExpiry('2030-01-01 00:00:00', null)).toBe(TIME);
    expect(readExpiry('1960-01-01', null)).toBeLessThan(0);
  });

  it('rejects a time that is not in the future, and text that is not a time', () => {
    for (const notBefore of [TIME, TIME + 1])
      expect(refusalOf('2030-01-01', notBefore)).toMatchObject({
        code: 'invalid_body',
        message: 'expiry must be in the future.',
      });
    expect(refusalOf('tomorrow', null)).toMatchObject({
      code: 'invalid_body',
      message: 'expiry must be an ISO 8601 date-time, a date, or YYYY-MM-DD HH:mm:ss.',
    });
  });
});

describe('graceEnd', () => {
  it('is the end of the grace period, but never after the expiry', () => {
    expect(graceEnd(5_000, 60, null)).toBe(65_000);
    expect(graceEnd(5_000, 60, 65_001)).toBe(65_000);
    expect(graceEnd(5_000, 60, 64_999)).toBe(64_999);
  });
});
