import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIds, ID_PREFIXES } from '../ids.ts';
import {
  ACCESS_KEY_PREFIXES,
  API_KEY_PREFIXES,
  generateValue,
  isPortalToken,
  maskValue,
  PORTAL_PREFIX,
  shapeOf,
} from './key-values.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-';
const prefixes = fc.constantFrom(...API_KEY_PREFIXES, ...ACCESS_KEY_PREFIXES);
const generated = fc.tuple(prefixes, fc.infiniteStream(fc.nat(255))).map(([prefix, stream]) =>
  generateValue(prefix, (bytes) => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = stream.next().value!;
  }),
);
const own = fc.string({
  unit: fc.constantFrom(...ALPHABET),
  minLength: 8,
  maxLength: 256,
});

describe('portal tokens', () => {
  const token = generateValue(PORTAL_PREFIX);
  it('are recognized by prefix, length and checksum', () => {
    expect(isPortalToken(token)).toBe(true);
    expect(isPortalToken(token.slice(0, -1))).toBe(false);
    expect(isPortalToken(`${token}0`)).toBe(false);
    expect(isPortalToken(token.slice(0, -1) + (token.endsWith('0') ? '1' : '0'))).toBe(false);
    for (const prefix of [...API_KEY_PREFIXES, ...ACCESS_KEY_PREFIXES])
      expect(isPortalToken(generateValue(prefix))).toBe(false);
  });

  it('are masked like other values', () => {
    expect(maskValue(token)).toBe(`${token.slice(0, 13)}*********`);
  });
});

describe('generated values', () => {
  it('consist of a prefix, 43 random characters and 6 checksum characters', () => {
    fc.assert(
      fc.property(generated, (value) => {
        expect(value).toMatch(
          /^(live_|test_|live_access_|test_access_|account_access_)[0-9A-Za-z]{49}$/,
        );
        expect(shapeOf(value)).toBe('generated');
      }),
    );
  });

  it('are recognized as changed if a single character differs', () => {
    fc.assert(
      fc.property(generated, fc.nat(), fc.constantFrom(...ALPHABET), (value, place, char) => {
        const at = place % value.length;
        const changed = value.slice(0, at) + char + value.slice(at + 1);
        fc.pre(changed !== value);
        const body = at >= value.length - 49 && /[0-9A-Za-z]/.test(char);
        if (body) expect(shapeOf(changed)).toBe('malformed');
        else expect(shapeOf(changed)).not.toBe('generated');
      }),
      { numRuns: 1_000 },
    );
  });

  it('are recognized as changed if two neighbours are swapped or a character is missing', () => {
    fc.assert(
      fc.property(generated, fc.nat(), (value, place) => {
        const at = place % (value.length - 1);
        const swapped = value.slice(0, at) + value[at + 1] + value[at] + value.slice(at + 2);
        fc.pre(swapped !== value);
        expect(shapeOf(swapped)).not.toBe('generated');
        expect(shapeOf(value.slice(0, -1))).not.toBe('generated');
        expect(shapeOf(value.slice(1))).not.toBe('generated');
      }),
    );
  });

  it('use all characters about equally often', () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 2_000; n++)
      for (const char of generateValue('live_').slice(5, 48))
        counts.set(char, (counts.get(char) ?? 0) + 1);
    const mean = (2_000 * 43) / 62;
    expect(counts.size).toBe(62);
    // Eight standard deviations: a byte taken modulo 62 would favor eight characters by a quarter.
    for (const count of counts.values())
      expect(Math.abs(count - mean)).toBeLessThan(8 * Math.sqrt(mean));
  });
});

describe('the shape', () => {
  it('of a value that does not look generated is other or malformed, and of an id malformed', () => {
    fc.assert(
      fc.property(own, (value) => {
        const looksOurs = /^((live|test)_(access_)?|account_access_)[0-9A-Za-z]{49}$/.test(value);
        if (!looksOurs) expect(['other', 'malformed']).toContain(shapeOf(value));
      }),
    );
    const ids = createIds();
    for (const prefix of ID_PREFIXES) expect(shapeOf(ids(prefix))).toBe('malformed');
  });

  it('of a value with forbidden characters or a forbidden length is malformed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (value) => {
        if (!/^[A-Za-z0-9._~-]{8,256}$/.test(value)) expect(shapeOf(value)).toBe('malformed');
      }),
    );
    expect(shapeOf('a'.repeat(8))).toBe('other');
    expect(shapeOf('a'.repeat(256))).toBe('other');
    expect(shapeOf('a'.repeat(7))).toBe('malformed');
    expect(shapeOf('a'.repeat(257))).toBe('malformed');
    expect(shapeOf(`${'a'.repeat(8)}\n`)).toBe('malformed');
  });
});

describe('masks', () => {
  it('show only the prefix and six characters of a generated value', () => {
    fc.assert(
      fc.property(generated, (value) => {
        const prefix = value.slice(0, -49);
        expect(maskValue(value)).toBe(`${value.slice(0, prefix.length + 6)}*********`);
      }),
    );
  });

  it('show at most a quarter of any other value, and at most six characters', () => {
    fc.assert(
      fc.property(own, (value) => {
        fc.pre(shapeOf(value) === 'other');
        const shown = maskValue(value).replace(/\*{9}$/, '');
        expect(value.startsWith(shown)).toBe(true);
        expect(shown.length).toBe(Math.min(6, Math.floor(value.length / 4)));
      }),
    );
  });
});
