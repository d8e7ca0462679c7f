import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { type Fields, fieldsOf } from '@keyward/rules/resources/field.ts';
import { PLAN } from '@keyward/rules/resources/plan.ts';
import { PROJECT } from '@keyward/rules/resources/project.ts';
import { describe, expect, it } from 'vitest';
import { newLimitRow } from '../text/limits/limit-rows.ts';
import {
  changeable,
  changesIn,
  type DraftOf,
  draftOf,
  fieldErrors,
  type Stored,
  unsetDraft,
  without,
} from './drafts.ts';

const NOW = Date.UTC(2030, 0, 1);

/** The form of a record in which only these fields are set. */
const opened = <Fs extends Fields>(fields: Fs, record: Partial<Stored<Fs>>) => {
  const set = Object.fromEntries(fieldsOf(fields).filter(([name]) => name in record)) as Fs;
  return { ...unsetDraft(fields), ...draftOf(set, record as Stored<Fs>) };
};

const KEY = {
  name: ' Acme ',
  customAccountId: 'acme',
  customMetaData: { plan: 'pro' },
  expiresAt: '2029-06-01T12:34:56.789Z',
  rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 7200 },
  allowedDomains: ['a.example', '*.b.example'],
};

const ACME = {
  name: 'Acme Inc.',
  customAccountId: 'acme',
  email: 'api@acme.example',
  planId: 'pln_1',
  customMetaData: { seats: 3 },
  tags: ['beta'],
  credits: {
    remaining: 7,
    refill: null,
    nextRefillAt: null,
    held: 0,
    overdrawn: 0,
    nextExpiry: null,
  },
};

const PER_DAY = {
  rateLimit: 100,
  rateLimitTtl: 86_400,
  algorithm: 'sliding',
  mode: 'shadow',
} as const;

const PRO = {
  name: 'Pro',
  permissions: ['documents.*'],
  limits: [{ name: 'day', per: 'customer' as const, ...PER_DAY }],
  allowedIPs: ['10.0.0.0/8'],
  credits: { amount: 1000, interval: 'month' as const },
};

/** What a form sends after these edits of `before`. */
const edited = <Fs extends Fields>(fields: Fs, before: DraftOf<Fs>, edits: Partial<DraftOf<Fs>>) =>
  changesIn(fields, { ...before, ...edits }, before, NOW);

const wrongFields = (checked: ReturnType<typeof changesIn>) =>
  checked.ok ? [] : Object.keys(checked.errors).sort();

describe('the form of a record', () => {
  const key = opened(API_KEY, KEY);
  const customer = opened(CUSTOMER, ACME);
  const plan = opened(PLAN, PRO);

  it('sends nothing if nothing was changed', () => {
    expect(edited(API_KEY, key, {})).toEqual({ ok: true, body: {} });
    expect(edited(CUSTOMER, customer, {})).toEqual({ ok: true, body: {} });
    expect(edited(PLAN, plan, {})).toEqual({ ok: true, body: {} });
  });

  it('sends changed fields, and null or nothing for cleared ones', () => {
    const off = { ...key.rateLimitConfigs, on: false };
    const edits = {
      name: ' Globex ',
      customAccountId: ' ',
      allowedDomains: '',
      customMetaData: '',
      rateLimitConfigs: off,
      expiresAt: { choice: 'never', moment: '' },
    } as const;
    expect(edited(API_KEY, key, edits)).toEqual({
      ok: true,
      body: {
        name: 'Globex',
        customAccountId: null,
        allowedDomains: null,
        customMetaData: {},
        rateLimitConfigs: null,
        expiresAt: null,
      },
    });
    const cleared = { name: ' ', email: '', planId: '', tags: '', customMetaData: '' };
    expect(edited(CUSTOMER, customer, cleared)).toEqual({
      ok: true,
      body: { name: null, email: null, planId: null, tags: [], customMetaData: {} },
    });
    const credits = { ...plan.credits, on: false };
    expect(edited(PLAN, plan, { permissions: '', limits: [], allowedIPs: ' ', credits })).toEqual({
      ok: true,
      body: { permissions: [], limits: [], allowedIPs: null, credits: null },
    });
  });

  it('sends a limit, credits and domains as the API takes them', () => {
    const limit = newLimitRow([]);
    const edits = {
      limits: [limit],
      credits: { ...key.credits, on: true, remaining: '500' },
      allowedDomains: 'a.example,\n b.example \n',
    };
    expect(edited(API_KEY, key, edits)).toMatchObject({
      body: {
        limits: [{ name: 'minute', rateLimit: 100, rateLimitTtl: 60, per: 'key' }],
        credits: { remaining: 500, refill: null },
        allowedDomains: ['a.example', 'b.example'],
      },
    });
    const twice = { limits: [limit, { ...limit, row: 1 }] };
    expect(wrongFields(edited(API_KEY, key, twice))).toEqual(['limits']);
  });

  it('sends a changed refill without the remaining credits', () => {
    const credits = { ...customer.credits, interval: 'day', amount: '50' } as const;
    expect(edited(CUSTOMER, customer, { credits })).toMatchObject({
      body: { credits: { refill: { amount: 50, interval: 'day', timezone: 'UTC' } } },
    });
  });

  it('keeps a key that expired or has a blank name as it is', () => {
    const old = opened(API_KEY, { ...KEY, name: ' ' });
    expect(edited(API_KEY, old, { tags: 'beta' })).toEqual({ ok: true, body: { tags: ['beta'] } });
  });

  it('cannot be left without scopes, because that would grant all', () => {
    const access = unsetDraft(ACCESS_KEY);
    const given = { ...access, name: 'ci', scopes: ['keys:read'] as const };
    expect(edited(ACCESS_KEY, access, { ...given, scopes: [] })).toMatchObject({
      errors: { scopes: 'Select at least one scope.' },
    });
    expect(edited(ACCESS_KEY, access, { ...given, scopes: ['keys:read'] })).toMatchObject({
      body: { name: 'ci', scopes: ['keys:read'] },
    });
  });
});

describe('the form of a new record', () => {
  it('reports every invalid field, and those that are missing', () => {
    const empty = unsetDraft(API_KEY);
    const edits = {
      customMetaData: '{',
      rateLimitConfigs: { ...empty.rateLimitConfigs, on: true, requests: '0' },
      expiresAt: { choice: 'moment', moment: '2020-01-01T00:00' },
      startsAt: 'soon',
    } as const;
    expect(wrongFields(edited(API_KEY, empty, edits))).toEqual([
      'customMetaData',
      'expiresAt',
      'name',
      'rateLimitConfigs',
      'startsAt',
    ]);
    const invalid = { customAccountId: ' ', email: 'acme', tags: 'Beta', permissions: 'billing*' };
    expect(edited(CUSTOMER, unsetDraft(CUSTOMER), invalid)).toMatchObject({
      errors: {
        customAccountId: 'Enter the customer ID.',
        email: 'Enter an email address.',
        tags: expect.any(String),
        permissions: expect.any(String),
      },
    });
  });

  it('starts with the standard of a choice', () => {
    const project = unsetDraft(PROJECT);
    expect(project).toMatchObject({ env: 'live', onLeak: 'notify' });
    const edits = { name: 'Shop', portalOrigins: 'https://a.example/ https://b.example' };
    expect(edited(PROJECT, project, edits)).toEqual({
      ok: true,
      body: { name: 'Shop', portalOrigins: ['https://a.example', 'https://b.example'] },
    });
  });
});

it('an error of the server is shown at its field', () => {
  const errors = (message: string | null, field: string | null) =>
    fieldErrors(API_KEY, message, field);
  expect(errors('expiresAt: too late', 'expiresAt')).toEqual({
    expiresAt: 'expiresAt: too late',
  });
  expect(errors('allowedDomains/0 must match …', 'allowedDomains')).toEqual({
    allowedDomains: expect.stringContaining('app.example.com'),
  });
  expect(errors('Something else', 'key')).toBeNull();
  expect(errors(null, 'expiresAt')).toBeNull();
});

it('a form can do without some fields', () => {
  expect(Object.keys(changeable(CUSTOMER))).not.toContain('customAccountId');
  expect(without(PROJECT, 'env')).not.toHaveProperty('env');
  // @ts-expect-error: projects have no such field
  without(PROJECT, 'environment');
});
