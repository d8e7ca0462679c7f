import { describe, expect, it } from 'vitest';
import { parseAddress } from './addresses.ts';
import {
  both,
  Grants,
  InvalidRequirement,
  isMet,
  missing,
  NO_GRANTS,
  readRequirement,
} from './permissions.ts';

const names = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`);

describe('both requirements together', () => {
  const [a, b] = [readRequirement('a'), readRequirement('b')];

  it('require what each requires', () => {
    const requirement = both(a, b)!;
    expect(missing(requirement, new Grants(['a']))).toEqual(['b']);
    expect(missing(requirement, new Grants(['b']))).toEqual(['a']);
    expect(isMet(requirement, new Grants(['a', 'b']))).toBe(true);
  });

  it('are the one that is not null, if the other is null', () => {
    expect(both(a, null)).toBe(a);
    expect(both(null, b)).toBe(b);
    expect(both(null, null)).toBeNull();
  });
});

it('a key without permissions is granted nothing', () => {
  expect(isMet(readRequirement('a'), NO_GRANTS)).toBe(false);
});

it('a * that is not a whole segment grants nothing', () => {
  expect(isMet(readRequirement('document'), new Grants(['doc*']))).toBe(false);
  expect(isMet(readRequirement('doc'), new Grants(['doc*']))).toBe(false);
});

describe('a requirement is rejected', () => {
  it('if it is undefined', () => {
    expect(() => readRequirement(undefined)).toThrow(InvalidRequirement);
  });

  it('if it has both any and all, in this order', () => {
    expect(() => readRequirement({ any: ['a'], all: ['b'] })).toThrow(InvalidRequirement);
  });

  it('if a list and a group together have too many names', () => {
    const input = [...names(20), { any: names(20) }];
    expect(() => readRequirement(input)).toThrow('at most 32 names');
  });

  it('if it has too many names, before any of them is parsed', () => {
    expect(() => readRequirement(new Array(33).fill('*'))).toThrow('at most 32 names');
  });
});

it('the longest address has 45 characters', () => {
  const longest = '1111:2222:3333:4444:5555:6666:255.255.255.255';
  expect(longest).toHaveLength(45);
  expect(parseAddress(longest)).not.toBeNull();
});
