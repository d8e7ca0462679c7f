import { describe, expect, it } from 'vitest';
import { DAY, durationText, HOUR, MINUTE, relativeTime, SECOND } from './times.ts';

const NOW = Date.UTC(2030, 0, 1);

describe('relativeTime', () => {
  it.each([
    [0, 'now'],
    [-4 * SECOND, 'now'],
    [-30 * SECOND, '30 seconds ago'],
    [-44 * MINUTE, '44 minutes ago'],
    [-50 * MINUTE, '1 hour ago'],
    [3 * HOUR, 'in 3 hours'],
    [-DAY, 'yesterday'],
    [6 * DAY, 'in 6 days'],
    [-40 * DAY, 'last month'],
    [800 * DAY, 'in 2 years'],
  ])('%i ms from now is %s', (distance, text) => {
    expect(relativeTime(NOW + distance, NOW)).toBe(text);
  });
});

describe('durationText', () => {
  it.each([
    [1, '1 second'],
    [90, '90 seconds'],
    [60, '1 minute'],
    [7_200, '2 hours'],
    [86_400, '1 day'],
    [90_000, '25 hours'],
  ])('%i seconds are %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
