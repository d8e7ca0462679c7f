import { describe, expect, it } from 'vitest';
import { UsageError } from './failure.ts';
import { readLimit, readMetadata, readRateLimit, readSeconds } from './values.ts';

describe('option values', () => {
  it.each([
    ['0', 0],
    ['90', 90],
    ['90s', 90],
    ['15m', 900],
    ['24h', 86_400],
    ['7d', 604_800],
  ])('%s is a time', (text, seconds) => expect(readSeconds(text, '--grace')).toBe(seconds));

  it('10/60 is a rate limit, and so is 1000/1h', () => {
    expect(readRateLimit('10/60')).toEqual({ rateLimit: 10, rateLimitTtl: 60 });
    expect(readRateLimit('1000/1h')).toEqual({ rateLimit: 1000, rateLimitTtl: 3600 });
  });

  it.each([
    () => readSeconds('1w', '--grace'),
    () => readSeconds('-1', '--grace'),
    () => readSeconds('', '--grace'),
    () => readRateLimit('10'),
    () => readRateLimit('10/'),
    () => readRateLimit('ten/60'),
    () => readMetadata('{'),
    () => readMetadata('[]'),
    () => readMetadata('null'),
    () => readMetadata('"text"'),
    () => readLimit('0'),
    () => readLimit('1001'),
    () => readLimit('1.5'),
    () => readLimit('many'),
  ])('%s is refused with a hint', (read) => expect(read).toThrow(UsageError));
});
