import type { ApiKey } from 'keyward';
import { describe, expect, it } from 'vitest';
import { newLimitRow } from '../../../text/limits/limit-rows.ts';
import { checkDraft, draftOf, EMPTY_DRAFT } from './key-draft.ts';

const NOW = Date.UTC(2030, 0, 1);

const KEY: ApiKey = {
  id: 'key_1',
  projectId: 'prj_1',
  key: 'live_AbCdEf*********',
  name: ' Acme ',
  customMetaData: { plan: 'pro' },
  customAccountId: 'acme',
  customUserId: null,
  env: 'live',
  createdAt: '2029-01-01T00:00:00.000Z',
  updatedAt: '2029-01-01T00:00:00.000Z',
  isActive: true,
  expiresAt: '2029-06-01T12:34:56.789Z',
  rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 7200 },
  creationContext: {},
  planId: null,
  permissions: [],
  limits: [],
  credits: null,
  allowedIPs: null,
  startsAt: null,
  tags: [],
  allowedDomains: ['a.example', '*.b.example'],
  firstUsedAt: null,
  lastUsedAt: null,
  rotatedFrom: null,
  rotatedTo: null,
};

describe('key draft', () => {
  it('sends only the name if nothing was changed', () => {
    const draft = draftOf(KEY);
    expect(checkDraft(draft, draft, NOW)).toEqual({ ok: true, body: { name: ' Acme ' } });
  });

  it('sends changed fields, and null for cleared ones', () => {
    const before = draftOf(KEY);
    const draft = {
      ...before,
      name: ' Globex ',
      customAccountId: ' ',
      allowedDomains: '',
      metadata: '',
      limit: { ...before.limit, on: false },
      expiry: { choice: 'never', moment: '' } as const,
    };
    expect(checkDraft(draft, before, NOW)).toEqual({
      ok: true,
      body: {
        name: 'Globex',
        customAccountId: null,
        allowedDomains: null,
        customMetaData: {},
        rateLimitConfigs: null,
        expiry: null,
      },
    });
  });

  it('reports every invalid field', () => {
    const draft = {
      ...EMPTY_DRAFT,
      metadata: '{',
      limit: { ...EMPTY_DRAFT.limit, on: true, requests: '0' },
      expiry: { choice: 'moment', moment: '2020-01-01T00:00' } as const,
    };
    const checked = checkDraft(draft, EMPTY_DRAFT, NOW);
    expect(checked.ok).toBe(false);
    expect(Object.keys(checked.ok ? {} : checked.errors).sort()).toEqual([
      'expiry',
      'limit',
      'metadata',
      'name',
    ]);
  });

  it('sends the plan, limits and credits of the key', () => {
    const before = draftOf(KEY);
    const limit = newLimitRow([]);
    const draft = {
      ...before,
      planId: 'pln_1',
      limits: [limit],
      credits: { ...before.credits, on: true, remaining: '500' },
    };
    expect(checkDraft(draft, before, NOW)).toMatchObject({
      ok: true,
      body: {
        planId: 'pln_1',
        limits: [{ name: 'minute', rateLimit: 100, rateLimitTtl: 60, per: 'key' }],
        credits: { remaining: 500, refill: null },
      },
    });
    const wrong = checkDraft({ ...draft, limits: [limit, { ...limit, row: 1 }] }, before, NOW);
    expect(wrong).toMatchObject({ ok: false, errors: { limits: expect.any(String) } });
  });

  it('splits domains at line breaks, spaces and commas', () => {
    const draft = { ...EMPTY_DRAFT, name: 'a', allowedDomains: 'a.example,\n b.example \n' };
    expect(checkDraft(draft, EMPTY_DRAFT, NOW)).toMatchObject({
      body: { allowedDomains: ['a.example', 'b.example'] },
    });
  });
});
