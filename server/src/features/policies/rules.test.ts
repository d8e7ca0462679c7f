import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeywardError } from '../../kernel/errors.ts';
import { domainsText } from './rules.ts';

const refused = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof KeywardError) return error.code;
    throw error;
  }
  return '';
};

describe('allowed domains', () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
  const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));

  it('are stored in lower case, without duplicates', () => {
    fc.assert(
      fc.property(fc.array(host, { minLength: 1, maxLength: 5 }), (names) => {
        const shouted = names.map((name) => `*.${name.toUpperCase()}`);
        const kept = JSON.parse(domainsText([...names, ...shouted, ...names])!);
        const expected = [...names, ...names.map((name) => `*.${name}`)];
        expect(kept).toEqual([...new Set(expected)]);
      }),
    );
    expect([domainsText(null), domainsText(undefined)]).toEqual([null, null]);
  });

  it.each([
    'http://a.example',
    'a.example/path',
    'a.example:443',
    'a b',
    '*',
    '*.*.example',
    'a.*.example',
    '.example',
    'example.',
    'a..b',
    '-a.example',
    `${'a'.repeat(64)}.example`,
    'ä.example',
    '',
  ])('%o is not a host', (name) => {
    expect(refused(() => domainsText([name]))).toBe('invalid_body');
  });
});
