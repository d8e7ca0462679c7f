import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accentProperties } from '../../src/react/theme/accent.ts';

/** WCAG 2.2, written independently of the code under test. */
function contrast(a: string, b: string): number {
  const luminance = (hex: string) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => {
      const part = Number.parseInt(hex.slice(1 + 2 * index, 3 + 2 * index), 16) / 255;
      return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    }, 0);
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);

it('makes text readable in and on every accent color, in both color schemes', () => {
  fc.assert(
    fc.property(color, (accent) => {
      const properties = accentProperties(accent)!;
      for (const [scheme, surface] of [
        ['light', '#ffffff'],
        ['dark', '#16171a'],
      ] as const) {
        const used = properties[`--kw-brand-${scheme}`]!;
        expect(contrast(used, surface)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(used, properties[`--kw-on-brand-${scheme}`]!)).toBeGreaterThanOrEqual(4.5);
      }
    }),
    { numRuns: 2_000 },
  );
});

it('keeps a color that is already readable', () => {
  expect(accentProperties('#0B6E4F')).toMatchObject({
    '--kw-brand-light': '#0b6e4f',
    '--kw-on-brand-light': '#ffffff',
  });
});

it.each([null, '', 'red', '#fff', 'url(https://evil.example)', '#12345g'])(
  'ignores %j, which is not a color',
  (text) => {
    expect(accentProperties(text)).toBeUndefined();
  },
);
