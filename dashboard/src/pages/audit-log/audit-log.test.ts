import type { AuditLog } from 'keyward';
import { describe, expect, it } from 'vitest';
import { differencesOf } from './differences.ts';
import { ACTION_OPTIONS, actorName, sentenceOf } from './sentences.ts';

const entry = (part: Partial<AuditLog>): AuditLog => ({
  id: 'aud_1',
  accountId: 'acc_1',
  projectId: null,
  actorType: 'user',
  actorId: 'usr_1',
  action: 'api-key.created',
  targetType: 'api-key',
  targetId: 'key_1',
  before: null,
  after: { name: 'Acme' },
  requestId: null,
  clientAddress: null,
  userAgent: null,
  createdAt: '2030-01-01T00:00:00.000Z',
  sealed: true,
  ...part,
});
const names = (id: string) => (id === 'usr_1' ? 'Ada' : null);
const read = (part: Partial<AuditLog>) => {
  const { before, target, after } = sentenceOf(entry(part), names);
  return `${actorName(entry(part), names)} ${before}${target === null ? '' : ` ${target}`}${after}`;
};

describe('audit log entry', () => {
  it('is formatted as a sentence', () => {
    expect(read({})).toBe('Ada created the key Acme');
    expect(read({ action: 'user.signed-in' })).toBe('Ada signed in');
    expect(read({ action: 'webhook.disabled', actorType: 'system', actorId: 'system' })).toBe(
      'Keyward disabled the webhook Acme because its endpoint failed',
    );
    const unknown = { after: null, actorId: 'ak_9', actorType: 'access-key' } as const;
    expect(read(unknown)).toBe('A deleted access key created a key');
    expect(
      read({ action: 'webhook.replayed', targetType: 'webhook', after: { id: 'rpl_1' } }),
    ).toBe('Ada replayed events to a deleted webhook');
    expect(read({ action: 'user.removed', targetType: 'user', after: null })).toBe(
      'Ada removed a former teammate from the account',
    );
    expect(read({ action: 'moon.landed' })).toBe('Ada performed “moon.landed” on Acme');
  });

  it('lists the changed fields, and the set fields of a new record', () => {
    const before = { name: 'A', limit: null, tags: { x: 1 }, same: 1, updatedAt: 'then' };
    const after = { name: 'B', limit: 5, tags: { x: 1 }, same: 1, updatedAt: 'now' };
    expect(differencesOf({ before, after })).toEqual([
      { field: 'name', before: 'A', after: 'B' },
      { field: 'limit', before: 'null', after: '5' },
    ]);
    expect(differencesOf({ before: null, after: { name: 'B', limit: null } })).toEqual([
      { field: 'name', before: null, after: 'B' },
    ]);
    expect(differencesOf({ before: null, after: null })).toEqual([]);
  });

  it('can be filtered by action or by kind', () => {
    const values = ACTION_OPTIONS.map(({ value }) => value);
    expect(values).toContain('api-key.');
    expect(values).toContain('user.two-factor-enabled');
    expect(new Set(values).size).toBe(values.length);
  });
});
