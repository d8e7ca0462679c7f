import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime, parseTime } from './clock.ts';

const FIRST = Date.UTC(100, 0, 1);
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const times = fc.integer({ min: FIRST, max: LAST });
const offsets = fc.tuple(
  fc.constantFrom('+', '-'),
  fc.integer({ min: 0, max: 23 }),
  fc.integer({ min: 0, max: 59 }),
);
const SYSTEM_TIME = /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\()/;
const two = (n: number) => String(n).padStart(2, '0');

describe('parseTime accepts a time', () => {
  it('in the format of isoTime', () => {
    fc.assert(
      fc.property(times, (ms) => {
        expect(parseTime(isoTime(ms))).toBe(ms);
      }),
    );
  });

  it('without an offset as UTC, and without a time as midnight', () => {
    fc.assert(
      fc.property(times, (ms) => {
        const whole = ms - (((ms % 1000) + 1000) % 1000);
        const text = isoTime(whole).slice(0, 19);
        expect(parseTime(text)).toBe(whole);
        expect(parseTime(text.replace('T', ' '))).toBe(whole);
        const day = isoTime(ms).slice(0, 10);
        expect(parseTime(day)).toBe(Date.parse(`${day}T00:00:00Z`));
      }),
    );
  });

  it('with an offset', () => {
    fc.assert(
      fc.property(times, offsets, (ms, [sign, hours, minutes]) => {
        const zone = `${sign}${two(hours)}:${two(minutes)}`;
        const text = isoTime(ms).replace('Z', zone);
        const moment = Date.parse(text);
        const isInside = moment >= FIRST && moment <= LAST;
        expect(parseTime(text)).toBe(isInside ? moment : null);
        expect(parseTime(text.replace(zone, zone.replace(':', '')))).toBe(parseTime(text));
      }),
    );
  });

  it('and truncates it to milliseconds', () => {
    expect(parseTime('2030-01-01T00:00:00.1Z')).toBe(Date.UTC(2030, 0, 1, 0, 0, 0, 100));
    expect(parseTime('2030-01-01T00:00:00.123999999Z')).toBe(Date.UTC(2030, 0, 1, 0, 0, 0, 123));
  });
});

describe('parseTime rejects a time', () => {
  it('that does not exist', () => {
    for (const text of [
      '2030-02-29',
      '2030-02-30T00:00:00Z',
      '2030-13-01',
      '2030-00-10',
      '2030-01-00',
      '2030-01-01T24:00:00Z',
      '2030-01-01T00:60:00Z',
      '2030-01-01T00:00:60Z',
      '2030-01-01T00:00:00+24:00',
      '2030-01-01T00:00:00+00:60',
      '0000-01-01',
      '0099-12-31',
    ])
      expect(parseTime(text)).toBeNull();
    expect(parseTime('2028-02-29')).toBe(Date.UTC(2028, 1, 29));
  });

  it('that its offset moves out of the supported years', () => {
    expect(parseTime('9999-12-31T23:59:59-00:01')).toBeNull();
    expect(parseTime('0100-01-01T00:00:00+00:01')).toBeNull();
  });

  it('in any other format, without throwing', () => {
    for (const text of [
      '',
      'now',
      '2030',
      '2030-1-1',
      '01/01/2030',
      '2030-01-01T00:00Z',
      '1893456000000',
      ' 2030-01-01',
    ])
      expect(parseTime(text)).toBeNull();
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = parseTime(text);
        if (ms !== null) expect(parseTime(isoTime(ms))).toBe(ms);
      }),
    );
  });
});

describe('the system time', () => {
  it('is read in one file only, so that tests can control the clock', () => {
    const source = new URL('../../', import.meta.url);
    const readers = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .filter((path) => SYSTEM_TIME.test(readFileSync(new URL(path, source), 'utf8')));
    expect(readers).toEqual(['kernel/time/clock.ts']);
  });
});
