import { describe, expect, it } from 'vitest';
import { CUSTOMER_ROWS, importFields, KEY_ROWS } from './row-fields.ts';

const rules = (more: object = {}) => ({
  kind: KEY_ROWS,
  renamed: new Map<string, string>(),
  ignored: new Set<string>(),
  name: undefined,
  ...more,
});

const read = (fields: Record<string, unknown>, more: object = {}) =>
  importFields({ key: 'value-of-a-key', ...fields }, rules(more));

describe('values as written by CSV and databases', () => {
  it.each<[string, unknown, string, unknown]>([
    ['customMetaData', '{"plan":"pro"}', 'customMetaData', { plan: 'pro' }],
    ['customMetaData', '{broken', 'customMetaData', '{broken'],
    ['allowedDomains', 'a.example b.example', 'allowedDomains', ['a.example', 'b.example']],
    ['allowedDomains', '["a.example"]', 'allowedDomains', ['a.example']],
    ['permissions', 'a.read; b:*', 'permissions', ['a.read', 'b:*']],
    ['allowedIPs', '10.0.0.0/8 2001:db8::1', 'allowedIPs', ['10.0.0.0/8', '2001:db8::1']],
    ['tags', '["beta"]', 'tags', ['beta']],
    ['tags', ['beta', 'eu'], 'tags', ['beta', 'eu']],
    ['startsAt', 1_893_456_000, 'startsAt', '2030-01-01T00:00:00.000Z'],
    ['rateLimitConfigs', '10/60', 'rateLimitConfigs', { rateLimit: 10, rateLimitTtl: 60 }],
    ['rateLimit', '10', 'rateLimitConfigs', { rateLimit: 10, rateLimitTtl: undefined }],
    ['credits', '500', 'credits', { remaining: 500 }],
    ['credits', 500, 'credits', { remaining: 500 }],
    ['credits', '{"remaining":5}', 'credits', { remaining: 5 }],
    ['credits', 'many', 'credits', 'many'],
    ['rateLimitConfigs', '99999999999/60', 'rateLimitConfigs', '99999999999/60'],
    ['rateLimitConfigs', '10/9999999999', 'rateLimitConfigs', '10/9999999999'],
    [
      'limits',
      'second=20/1; day=10000/1d,customer',
      'limits',
      [
        { name: 'second', rateLimit: 20, rateLimitTtl: 1 },
        { name: 'day', rateLimit: 10_000, rateLimitTtl: 86_400, per: 'customer' },
      ],
    ],
    ['limits', '[{"name":"day"}]', 'limits', [{ name: 'day' }]],
    ['isActive', 't', 'isActive', true],
    ['isActive', 'FALSE', 'isActive', false],
    ['isActive', 0, 'isActive', false],
    ['isActive', 'perhaps', 'isActive', 'perhaps'],
    ['expiresAt', 1_893_456_000, 'expiresAt', '2030-01-01T00:00:00.000Z'],
    ['expiresAt', '1893456000000', 'expiresAt', '2030-01-01T00:00:00.000Z'],
    ['createdAt', '2020-01-01 00:00:00.5+00', 'createdAt', '2020-01-01 00:00:00.5+00:00'],
    ['createdAt', '2020-01-01', 'createdAt', '2020-01-01'],
  ])('%s %j', (field, text, name, value) => {
    expect(read({ [field]: text })[name]).toEqual(value);
  });

  it('may have the refill of credits in separate fields', () => {
    const refill = { refillAmount: '100', refillInterval: 'month' };
    const monthly = { amount: 100, interval: 'month' };
    expect(read(refill)).toEqual({ key: 'value-of-a-key', credits: { refill: monthly } });
    expect(read({ ...refill, credits: 'null' }).credits).toBeNull();
    expect(read({ ...refill, credits: 7, refillTimezone: 'Asia/Tokyo' }).credits).toEqual({
      remaining: 7,
      refill: { ...monthly, timezone: 'Asia/Tokyo' },
    });
  });

  it('are not quoted in the error if they are limits that are not well-formed', () => {
    expect(() => read({ limits: 'secret' })).toThrow(/^limits must be like second=20\/1/);
  });

  it('customers need their id, and have no fields of keys', () => {
    const ofCustomers = rules({ kind: CUSTOMER_ROWS });
    const row = { customAccountId: 'acme', email: 'a@b.example', tags: 'x y' };
    expect(importFields(row, ofCustomers)).toEqual({ ...row, tags: ['x', 'y'] });
    expect(() => importFields({ name: 'x' }, ofCustomers)).toThrow('customAccountId is missing.');
    expect(() => importFields({ ...row, expiry: '2030' }, ofCustomers)).toThrow('"expiry"');
  });

  it('are omitted if they are empty', () => {
    expect(read({ customUserId: '', expiresAt: null })).toEqual({ key: 'value-of-a-key' });
  });
});

describe('field names of the file', () => {
  it('are renamed, ignored or added', () => {
    const fields = { token_hash: 'h', id: 7 };
    const more = {
      renamed: new Map([['token_hash', 'customUserId']]),
      ignored: new Set(['id']),
      name: 'Imported',
    };
    expect(read(fields, more)).toEqual({
      key: 'value-of-a-key',
      customUserId: 'h',
      name: 'Imported',
    });
  });

  it('are reported if unknown, with a remedy', () => {
    expect(() => read({ plan: 'pro' })).toThrow(/"plan".*--map plan=FIELD.*--ignore plan/);
  });

  it('are not quoted if the row may not be a row of keys', () => {
    const wrong = () => importFields({ 'sk_live_a-secret': 'x' }, rules());
    expect(wrong).toThrow(/key or keyHash is missing/);
    expect(wrong).not.toThrow(/a-secret/);
  });

  it('are refused if two have the same meaning', () => {
    expect(() => read({ a: 'x', key: 'y' }, { renamed: new Map([['a', 'key']]) })).toThrow(/twice/);
  });
});
