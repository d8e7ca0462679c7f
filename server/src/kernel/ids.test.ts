import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BASE32, createIds, ID_PREFIXES, idFloor, isIdOf, looksLikeId } from './ids.ts';

const time = fc.integer({ min: 0, max: 2 ** 45 });

describe('idFloor', () => {
  it('sorts before every id of its time or later, and after all earlier ones', () => {
    fc.assert(
      fc.property(time, (ms) => {
        const id = createIds(() => ms)('evt');
        expect(isIdOf('evt', idFloor('evt', ms))).toBe(true);
        expect(id >= idFloor('evt', ms)).toBe(true);
        expect(id < idFloor('evt', ms + 1)).toBe(true);
      }),
    );
  });

  it('is the lowest possible id for a time before 1970', () => {
    expect(idFloor('dlv', -5)).toBe(`dlv_${'0'.repeat(26)}`);
  });
});

const prefixes = fc.constantFrom(...ID_PREFIXES);
const clockSteps = fc.array(fc.tuple(prefixes, fc.integer({ min: -5_000, max: 50 })), {
  minLength: 2,
  maxLength: 200,
});

/** The 128 bits of an id, read back from its text. */
function bitsOf(id: string): bigint {
  const text = id.slice(id.indexOf('_') + 1);
  return [...text].reduce((bits, char) => bits * 32n + BigInt(BASE32.indexOf(char)), 0n);
}

describe('ids', () => {
  it('sort in the order of creation, however the clock moves, and are unique', () => {
    fc.assert(
      fc.property(clockSteps, (steps) => {
        let now = 1_900_000_000_000;
        const ids = createIds(() => now);
        const made = steps.map(([prefix, step]) => {
          now += step;
          return bitsOf(ids(prefix));
        });
        expect(made).toEqual([...made].sort((a, b) => (a < b ? -1 : 1)));
        expect(new Set(made).size).toBe(made.length);
      }),
    );
  });

  it('stay in order after 4,096 of them in one millisecond', () => {
    const ids = createIds(() => 1_900_000_000_000);
    const made = Array.from({ length: 10_000 }, () => ids('key'));
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(made.length);
  });

  it('are a prefix and a UUIDv7 with the creation time', () => {
    fc.assert(
      fc.property(prefixes, fc.integer({ min: 1, max: 2 ** 48 - 1 }), (prefix, now) => {
        const id = createIds(() => now)(prefix);
        const bits = bitsOf(id);
        expect(id).toMatch(new RegExp(`^${prefix}_[${BASE32}]{26}$`));
        expect(bits >> 80n).toBe(BigInt(now));
        expect((bits >> 76n) & 0xfn).toBe(7n);
        expect((bits >> 62n) & 0b11n).toBe(0b10n);
        expect(looksLikeId(id)).toBe(true);
        for (const other of ID_PREFIXES) expect(isIdOf(other, id)).toBe(other === prefix);
      }),
    );
  });

  it('are distinguished from similar texts', () => {
    const id = createIds(() => 1_900_000_000_000)('key');
    const near = [
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      `x${id}`,
      id.replace('_', '-'),
      `${id}\n`,
    ];
    for (const text of near) expect(looksLikeId(text)).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => !looksLikeId(text) || /^[a-z]+_/.test(text)));
  });
});
