import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Grants,
  InvalidRequirement,
  isGrant,
  isMet,
  missing,
  type PermissionsInput,
  readRequirement,
} from './permissions.ts';

/** A permission as segments, each with the separator before it; the first has none. */
type Segments = readonly (readonly [separator: string, name: string])[];

const segmentsOf = (text: string): Segments =>
  [...text.matchAll(/([.:]?)([^.:]+)/g)].map(([, separator, name]) => [separator!, name!]);

/** The rule as the documentation states it: a wildcard stands for one or more whole segments. */
function grantsByModel(grant: string, name: string): boolean {
  if (grant === '*') return true;
  const [granted, required] = [segmentsOf(grant), segmentsOf(name)];
  const [separator, last] = granted.at(-1)!;
  const fixed = last === '*' ? granted.slice(0, -1) : granted;
  const isSame = fixed.every(
    ([before, word], n) => required[n]?.[0] === before && required[n]?.[1] === word,
  );
  if (last !== '*') return isSame && required.length === granted.length;
  return isSame && required.length > fixed.length && required[fixed.length]![0] === separator;
}

function namesIn(input: PermissionsInput): string[] {
  if (typeof input === 'string') return [input];
  const members = 'all' in input ? input.all : 'any' in input ? input.any : input;
  return members.flatMap(namesIn);
}

function missingByModel(input: PermissionsInput, grants: readonly string[]): string[] {
  if (typeof input === 'string')
    return grants.some((grant) => grantsByModel(grant, input)) ? [] : [input];
  if ('any' in input)
    return input.any.some((each) => missingByModel(each, grants).length === 0)
      ? []
      : namesIn(input);
  return ('all' in input ? input.all : input).flatMap((each) => missingByModel(each, grants));
}

/** Few different words, so that grants and requirements often match. */
const word = fc.constantFrom('a', 'b', 'doc', 'doc-s', '_', 'constructor', '__proto__');
const separator = fc.constantFrom('.', ':');
const name = fc
  .tuple(word, fc.array(fc.tuple(separator, word), { maxLength: 3 }))
  .map(([first, rest]) => first + rest.map((pair) => pair.join('')).join(''));
const grant = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*') },
  { weight: 8, arbitrary: name },
  { weight: 8, arbitrary: fc.tuple(name, separator).map(([text, mark]) => `${text}${mark}*`) },
);
const listOf = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 });
const groupOf = <T>(item: fc.Arbitrary<T>) =>
  fc.oneof(fc.record({ all: listOf(item) }), fc.record({ any: listOf(item) }));
const inner = fc.oneof(name, groupOf(fc.oneof(name, groupOf(name))));
const requirement: fc.Arbitrary<PermissionsInput> = fc.oneof(name, listOf(inner), groupOf(inner));

describe('requirement', () => {
  it('is met, and its missing names are found, by the rules in the documentation', () => {
    let met = 0;
    const runs = 3_000;
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 6 }), requirement, (granted, input) => {
        const grants = new Grants(granted);
        const read = readRequirement(input);
        const expected = missingByModel(input, granted);
        met += expected.length === 0 ? 1 : 0;
        expect(isMet(read, grants)).toBe(expected.length === 0);
        expect(missing(read, grants)).toEqual([...new Set(expected)]);
      }),
      { numRuns: runs },
    );
    // With rarer or more common words, the property would test little.
    expect(met).toBeGreaterThan(runs / 20);
    expect(met).toBeLessThan(runs - runs / 20);
  });

  it.each([
    ['documents.*', 'documents.read', true],
    ['documents.*', 'documents.read.own', true],
    ['documents.*', 'documents:read', false],
    ['documents.*', 'documents', false],
    ['documents.*', 'documentsX.read', false],
    ['documents:*', 'documents:a.b', true],
    ['a.b.*', 'a.b.c:d', true],
    ['a.b.*', 'a.c.b', false],
    ['documents', 'documents', true],
    ['documents', 'documents.read', false],
    ['documents.read', 'Documents.read', false],
    ['*', 'anything:at.all', true],
  ])('a key with %s, required %s: %s', (granted, required, expected) => {
    expect(isMet(readRequirement(required), new Grants([granted]))).toBe(expected);
    expect(grantsByModel(granted, required)).toBe(expected);
  });

  it('an unmet `any` lists all names as missing; an `all` lists only those that are', () => {
    const grants = new Grants(['a', 'c']);
    const lacking = (input: PermissionsInput) => missing(readRequirement(input), grants);
    expect(lacking({ any: [{ all: ['a', 'b'] }, 'd'] })).toEqual(['a', 'b', 'd']);
    expect(lacking(['a', 'b', { any: ['a', 'd'] }, 'b'])).toEqual(['b']);
    expect(lacking({ any: ['b', 'c'] })).toEqual([]);
    expect(lacking({ all: ['b', { any: ['d', 'b'] }] })).toEqual(['b', 'd']);
  });

  it('is parsed the same however many names were parsed before', () => {
    const grants = new Grants(['n.*']);
    for (let n = 0; n < 1_200; n++) {
      expect(isMet(readRequirement(`n.${n}`), grants)).toBe(true);
      expect(isMet(readRequirement(`m.${n}`), grants)).toBe(false);
    }
    expect(isMet(readRequirement('n.0'), grants)).toBe(true);
  });
});

const SHAPE = 'permissions must be a name, a list of names, {"all": […]} or {"any": […]}.';
const EMPTY = 'permissions must not have an empty list.';
const NESTED = 'permissions must not have more than three levels of groups.';
const MANY = 'permissions must have at most 32 names.';
const NAME = /^permissions: ".*" is not a name of a permission; write it like documents\.read/;
const names = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`);

describe('an invalid requirement', () => {
  it.each<[string, unknown, string | RegExp]>([
    ['null', null, SHAPE],
    ['a number', 1, SHAPE],
    ['a boolean', true, SHAPE],
    ['a function', () => 'a', SHAPE],
    ['an object without a list', {}, SHAPE],
    ['an object with another name', { none: ['a'] }, SHAPE],
    ['both all and any', { all: ['a'], any: ['b'] }, SHAPE],
    ['__proto__ from JSON', JSON.parse('{"__proto__": ["a"]}'), SHAPE],
    ['a number in a list', ['a', 1], SHAPE],
    ['an empty list', [], EMPTY],
    ['an empty all', { all: [] }, EMPTY],
    ['an empty any', { any: [] }, EMPTY],
    ['an empty list in a group', { all: ['a', { any: [] }] }, EMPTY],
    ['all that is not a list', { all: 'a' }, SHAPE],
    ['four groups', { all: [{ any: [{ all: [{ any: ['a'] }] }] }] }, NESTED],
    ['a list and three groups', [{ any: [{ all: [{ any: ['a'] }] }] }], NESTED],
    ['33 names in a list', names(33), MANY],
    ['33 names together', { any: [{ all: names(16) }, { all: names(17) }] }, MANY],
    ['an empty name', '', NAME],
    ['a wildcard', 'documents.*', NAME],
    ['everything', '*', NAME],
    ['an empty segment', 'documents..read', NAME],
    ['a separator at the end', 'documents.', NAME],
    ['a separator at the start', ':read', NAME],
    ['a space', 'documents read', NAME],
    ['a line break at the end', 'documents\n', NAME],
    ['a letter outside of ASCII', 'dokumente.lösen', NAME],
    ['129 characters', 'x'.repeat(129), NAME],
    ['a wrong name in a group', { any: ['a', 'b/c'] }, NAME],
  ])('%s', (_, input, message) => {
    expect(() => readRequirement(input)).toThrow(InvalidRequirement);
    expect(() => readRequirement(input)).toThrow(message);
  });

  it('is longer, deeper or larger than these, which are accepted', () => {
    expect(isMet(readRequirement('x'.repeat(128)), new Grants(['*']))).toBe(true);
    expect(isMet(readRequirement({ all: [{ any: [{ all: ['a'] }] }] }), new Grants(['a']))).toBe(
      true,
    );
    expect(missing(readRequirement(names(32)), new Grants([]))).toEqual(names(32));
  });

  it('does not put a long text into the message', () => {
    const message = (() => {
      try {
        return readRequirement('x'.repeat(100_000));
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(String(message).length).toBeLessThan(300);
  });
});

it('a grant is a name, a name with a last segment *, or *', () => {
  for (const text of ['*', 'a', 'a.*', 'a:*', 'a.b:c-d_E.9', 'a.b.*', 'x'.repeat(128)])
    expect(isGrant(text), text).toBe(true);
  for (const text of ['', '.', '**', '*.a', 'a.*.b', 'a*', 'a.b*', 'a.', '.a', 'a..*', 'a *', 'ä'])
    expect(isGrant(text), text).toBe(false);
  expect(isGrant('x'.repeat(129))).toBe(false);
  expect(isGrant('a.*\n')).toBe(false);
});
