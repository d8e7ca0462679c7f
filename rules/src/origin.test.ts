import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { originAllowed } from './origin.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));

describe('an origin', () => {
  it('matches its own name in any case, with scheme, port, path or trailing dot', () => {
    fc.assert(
      fc.property(host, fc.nat(65_535), (name, port) => {
        for (const origin of [
          name,
          name.toUpperCase(),
          `${name}:${port}`,
          `${name}.`,
          `${name}.:${port}`,
          `https://${name}`,
          `HTTP://${name}:${port}`,
          `https://${name}/path?query#fragment`,
          `${name}/path`,
        ])
          expect(originAllowed([name], origin)).toBe(true);
      }),
    );
  });

  it('matches *. only for subdomains, at any depth', () => {
    fc.assert(
      fc.property(host, host, (name, below) => {
        expect(originAllowed([`*.${name}`], `${below}.${name}`)).toBe(true);
        expect(originAllowed([`*.${name}`], name)).toBe(false);
        expect(originAllowed([`*.${name}`], `.${name}`)).toBe(false);
        expect(originAllowed([`*.${name}`], `${below}${name}`)).toBe(
          `${below}${name}`.endsWith(`.${name}`),
        );
      }),
    );
  });

  it('does not match another name', () => {
    fc.assert(
      fc.property(host, host, (name, other) => {
        fc.pre(name !== other);
        expect(originAllowed([name], other)).toBe(false);
        expect(originAllowed([name], `${name}.${other}`)).toBe(false);
        expect(originAllowed([name], `${other}.${name}`)).toBe(false);
        expect(originAllowed([name], `${name}@${other}`)).toBe(false);
        expect(originAllowed([name], `https://${name}@${other}`)).toBe(false);
        expect(originAllowed([name], `https://${other}/https://${name}`)).toBe(false);
        expect(originAllowed([name], `https://${other}?${name}`)).toBe(false);
        expect(originAllowed([name], `https://${other}#.${name}`)).toBe(false);
        expect(originAllowed([name], `https://https://${name}`)).toBe(false);
        expect(originAllowed([name], `ftp://${name}`)).toBe(false);
        expect(originAllowed([name], `//${name}`)).toBe(false);
        expect(originAllowed([`x${name}`], `xhttps://${name}`)).toBe(false);
        expect(originAllowed([`${name}x`], `${name}:80x`)).toBe(false);
        expect(originAllowed([`*.${name}`], `https://${other}/.${name}`)).toBe(
          other.endsWith(`.${name}`),
        );
      }),
    );
  });

  it('is never allowed if missing, and one matching name is enough', () => {
    fc.assert(
      fc.property(fc.array(host, { minLength: 1 }), fc.nat(), (names, pick) => {
        expect(originAllowed(names, undefined)).toBe(false);
        expect(originAllowed(names, '')).toBe(false);
        expect(originAllowed(names, names[pick % names.length])).toBe(true);
      }),
    );
  });
});
