import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseKeySearch, questionOf, withoutSecret } from './key-search.ts';

const NOW = Date.UTC(2030, 0, 1);
const base62 = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 49,
  maxLength: 49,
});

describe('what stands in the address', () => {
  it('never is the whole of a value that somebody pasted, but finds its key', () => {
    const prefixes = fc.constantFrom('live_', 'test_', 'live_access_', 'account_access_');
    fc.assert(
      fc.property(prefixes, base62, fc.constantFrom('', ' ', 'key='), (prefix, secret, before) => {
        const { search = '' } = parseKeySearch({ search: before + prefix + secret });
        expect(search).toBe(before + prefix + secret.slice(0, 6));
      }),
    );
  });

  it.each(['Acme, production', 'live', 'live_AbCdEf', 'cus_live_12', 'test_site'])(
    'is %j as it was typed',
    (text) => {
      expect(withoutSecret(text)).toBe(text);
    },
  );

  it('reads numbers and null as the texts they are', () => {
    expect(parseKeySearch({ search: 12, account: null, user: 7, limited: true })).toEqual({
      search: '12',
      user: '7',
      limited: true,
    });
  });

  it('leaves out whatever is odd', () => {
    const odd = { search: '', state: 'dead', sort: 'key', order: 1, limited: 'yes', create: 'x' };
    expect(parseKeySearch(odd)).toEqual({});
  });

  it('is read again as it was written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (raw) => {
        const parsed = parseKeySearch(raw);
        expect(parseKeySearch({ ...parsed })).toEqual(parsed);
      }),
    );
  });
});

describe('what the server is asked for', () => {
  const time = new Date(NOW).toISOString();

  it.each([
    ['active', { isActive: true, expiresAfter: time }],
    ['expired', { isActive: true, expiresBefore: time }],
    ['revoked', { isActive: false }],
  ] as const)('%s', (state, asked) => {
    expect(questionOf({ state }, 'prj_1', NOW)).toEqual({ projectId: 'prj_1', ...asked });
  });

  it('lists what expires soon by when it does', () => {
    const { sort, expiresBefore } = questionOf({ state: 'expiring' }, 'prj_1', NOW);
    expect([sort, expiresBefore]).toEqual(['expiresAt', '2030-01-15T00:00:00.000Z']);
  });
});
