import { describe, expect, it } from 'vitest';
import { importFields } from './row-fields.ts';

const rules = (more: object = {}) => ({
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

  it('empty values are omitted', () => {
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
