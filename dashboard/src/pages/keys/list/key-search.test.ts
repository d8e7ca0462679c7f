import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutSecret } from '../../../text/without-secret.ts';
import { parseKeySearch, queryOf } from './key-search.ts';

const NOW = Date.UTC(2030, 0, 1);
const base62 = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 49,
  maxLength: 49,
});

describe('URL parameters', () => {
  it('truncate a pasted key value to its visible prefix', () => {
    const prefixes = fc.constantFrom('live_', 'test_', 'live_access_', 'account_access_');
    fc.assert(
      fc.property(prefixes, base62, fc.constantFrom('', ' ', 'key='), (prefix, secret, before) => {
        const { search = '' } = parseKeySearch({ search: before + prefix + secret });
        expect(search).toBe(before + prefix + secret.slice(0, 6));
      }),
    );
  });

  it('truncate text that looks like a value of another system', () => {
    expect(withoutSecret('sk-Ab3dEf6hIj9lMn2pQr5tUv')).toBe('sk-Ab3');
    expect(withoutSecret('key 0123456789abcdef0123456789abcdef')).toBe('key 012345');
  });

  it.each([
    'Acme, production',
    'live',
    'live_AbCdEf',
    'cus_live_12',
    'test_site',
    'key_01jz5n8w3e7x4m2v9qk6t1r8yd',
    '550e8400-e29b-41d4-a716-446655440000',
    'the-production-key-of-our-largest-customer',
  ])('keep %j unchanged', (text) => {
    expect(withoutSecret(text)).toBe(text);
  });

  it('convert numbers to text and ignore null', () => {
    expect(parseKeySearch({ search: 12, account: null, user: 7, limited: true })).toEqual({
      search: '12',
      user: '7',
      limited: true,
    });
  });

  it('ignore invalid values', () => {
    const invalid = {
      search: '',
      state: 'dead',
      sort: 'key',
      order: 1,
      limited: 'yes',
      create: 'x',
    };
    expect(parseKeySearch(invalid)).toEqual({});
  });

  it('parse to the same result a second time', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (raw) => {
        const parsed = parseKeySearch(raw);
        expect(parseKeySearch({ ...parsed })).toEqual(parsed);
      }),
    );
  });
});

describe('API query', () => {
  const time = new Date(NOW).toISOString();

  it.each([
    ['active', { isActive: true, expiresAfter: time }],
    ['expired', { isActive: true, expiresBefore: time }],
    ['revoked', { isActive: false }],
  ] as const)('%s', (state, expected) => {
    expect(queryOf({ state }, 'prj_1', NOW)).toEqual({ projectId: 'prj_1', ...expected });
  });

  it('sorts keys that expire soon by expiry', () => {
    const { sort, expiresBefore } = queryOf({ state: 'expiring' }, 'prj_1', NOW);
    expect([sort, expiresBefore]).toEqual(['expiresAt', '2030-01-15T00:00:00.000Z']);
  });
});
