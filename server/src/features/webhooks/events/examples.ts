import { AREAS } from '@keyward/rules/areas.ts';
import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { type Fields, fieldsOf } from '@keyward/rules/resources/field.ts';
import { DESCRIPTIONS } from '@keyward/rules/resources/index.ts';
import { PLAN } from '@keyward/rules/resources/plan.ts';
import { PROJECT } from '@keyward/rules/resources/project.ts';
import type { AccessKey } from '../../access-keys/index.ts';
import type { ApiKey } from '../../api-keys/index.ts';
import type { Topic } from '../../changes/index.ts';
import type { Credits } from '../../credits/index.ts';
import type { Customer } from '../../customers/index.ts';
import { unsetValues } from '../../fields/index.ts';
import type { Plan } from '../../plans/index.ts';
import type { Project } from '../../projects/index.ts';
import type { RecordArea } from '../../resources/index.ts';
import { areaOf, type UsualTopic } from './usual-topics.ts';

const ACCOUNT = 'acc_01jz5n8w3e7xk2m4q6s8v0y1zb';
const PROJECT_ID = 'prj_01jz5n8w3e7xk2m4q6s8v0y1zc';
const AT = '2030-01-01T12:00:00.000Z';
const LATER = '2030-01-02T08:30:00.000Z';

export const EXAMPLE_ENVELOPE = {
  id: 'evt_01jz5n8w3e7xk2m4q6s8v0y1zd',
  timestamp: LATER,
  accountId: ACCOUNT,
  projectId: PROJECT_ID,
};

const CREDITS: Credits = {
  remaining: 900,
  held: 0,
  overdrawn: 0,
  refill: { amount: 1_000, interval: 'month', timezone: 'Europe/Berlin' },
  nextRefillAt: '2030-01-31T23:00:00.000Z',
  nextExpiry: { amount: 900, at: '2030-01-31T23:00:00.000Z' },
};

const KEY: ApiKey = {
  id: 'key_01jz5n8w3e7xk2m4q6s8v0y1ze',
  projectId: PROJECT_ID,
  key: 'live_AbCdEf*********',
  name: 'Ada, production',
  ...unsetValues(API_KEY),
  customMetaData: { plan: 'pro' },
  customAccountId: 'customer-42',
  env: 'live',
  createdAt: AT,
  updatedAt: AT,
  isActive: true,
  rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
  creationContext: {},
  permissions: ['documents.read'],
  credits: CREDITS,
  firstUsedAt: null,
  lastUsedAt: null,
  rotatedFrom: null,
  rotatedTo: null,
};

const GATEWAY: AccessKey = {
  id: 'ak_01jz5n8w3e7xk2m4q6s8v0y1zf',
  name: 'gateway',
  key: 'live_access_AbCdEf*********',
  accountId: ACCOUNT,
  projectId: PROJECT_ID,
  ...unsetValues(ACCESS_KEY),
  scopes: ['keys:validate'],
  isActive: true,
  lastUsedAt: null,
  createdAt: AT,
  updatedAt: AT,
  rotatedFrom: null,
  rotatedTo: null,
};

const PUBLIC_API: Project = {
  id: PROJECT_ID,
  name: 'Public API',
  accountId: ACCOUNT,
  ...unsetValues(PROJECT),
  branding: { name: 'Acme', logo: null, accentColor: '#0b6e4f' },
  portalOrigins: ['https://app.acme.example'],
  resources: ['POST:/v1/chat', 'GET:/v1/*'],
  notices: { expiryDays: [30, 7, 1], thresholds: [0.8, 1], mailTo: [] },
  usageEvents: null,
  isActive: true,
  createdBy: GATEWAY.id,
  createdByType: 'ACCESS_KEY',
  createdIn: 'api',
  lastChangedBy: GATEWAY.id,
  lastChangedByType: 'ACCESS_KEY',
  createdAt: AT,
  updatedAt: LATER,
};

const PRO: Plan = {
  id: 'pln_01jz5n8w3e7xk2m4q6s8v0y1zg',
  projectId: PROJECT_ID,
  name: 'Pro',
  ...unsetValues(PLAN),
  permissions: ['documents.*'],
  limits: [
    {
      name: 'day',
      rateLimit: 10_000,
      rateLimitTtl: 86_400,
      per: 'customer',
      algorithm: 'fixed',
      mode: 'enforce',
    },
  ],
  credits: { amount: 1_000, interval: 'month' },
  createdAt: AT,
  updatedAt: LATER,
};

const ACME: Customer = {
  id: 'cus_01jz5n8w3e7xk2m4q6s8v0y1zh',
  projectId: PROJECT_ID,
  customAccountId: 'customer-42',
  ...unsetValues(CUSTOMER),
  name: 'Acme Inc.',
  email: 'ops@acme.example',
  planId: PRO.id,
  createdAt: AT,
  updatedAt: LATER,
};

/** Has the form of a key value, but a wrong checksum. */
const EXAMPLE_VALUE = 'AbCdEf0000000000000000000000000000000000000000000';

const SPECIAL: Record<Exclude<Topic, UsualTopic>, object> & {
  readonly [T in UsualTopic]?: object;
} = {
  'api-key.created': { ...KEY, key: `live_${EXAMPLE_VALUE}` },
  'api-key.deleted': { ...KEY, isActive: false, updatedAt: LATER },
  'api-key.updated': { ...KEY, customMetaData: { plan: 'team' }, updatedAt: LATER },
  'api-key.firstUsed': { ...KEY, firstUsedAt: LATER, lastUsedAt: LATER },
  'access-key.created': { ...GATEWAY, key: `live_access_${EXAMPLE_VALUE}` },
  'access-key.updated': { ...GATEWAY, name: 'gateway, old', updatedAt: LATER },
  'access-key.deleted': { ...GATEWAY, isActive: false, updatedAt: LATER },
  'project.updated': PUBLIC_API,
  'plan.updated': PRO,
  'customer.updated': ACME,
  'credits.changed': {
    projectId: PROJECT_ID,
    keyId: KEY.id,
    customAccountId: null,
    before: CREDITS,
    after: { ...CREDITS, remaining: 1_900 },
  },
  'api-key.leaked': {
    ...KEY,
    isActive: false,
    updatedAt: LATER,
    source: 'github.content',
    url: 'https://github.com/octocat/hello/blob/main/config.js',
    action: 'revoked',
  },
  'api-key.expiring': { ...KEY, expiresAt: '2030-01-09T08:30:00.000Z', daysLeft: 7 },
  'api-key.expired': { ...KEY, expiresAt: LATER },
  'limit.threshold': {
    ...KEY,
    name: 'default',
    keyName: KEY.name,
    share: 0.8,
    consumed: 8,
    limit: 10,
  },
  'credits.low': { ...KEY, owner: 'key', remaining: 200, startingBalance: 1_000 },
  'credits.exhausted': { ...KEY, owner: 'key', remaining: 0, startingBalance: 1_000 },
  'usage.period': {
    projectId: PROJECT_ID,
    interval: 'hour',
    groupBy: 'key',
    start: '2030-01-01T12:00:00.000Z',
    end: '2030-01-01T13:00:00.000Z',
    part: 1,
    isLast: true,
    rows: [
      {
        keyId: KEY.id,
        customAccountId: 'customer-42',
        total: 120,
        valid: 110,
        rateLimited: 10,
        denied: 0,
        cost: 130,
      },
    ],
  },
  'audit.appended': {
    number: 42,
    id: 'aud_01jz5n8w3e7xk2m4q6s8v0y1zj',
    accountId: ACCOUNT,
    projectId: PROJECT_ID,
    actorType: 'access-key',
    actorId: GATEWAY.id,
    action: 'project.updated',
    targetType: 'project',
    targetId: PROJECT_ID,
    before: { id: PROJECT_ID, name: 'API' },
    after: { id: PROJECT_ID, name: 'Public API' },
    requestId: 'req-1',
    clientAddress: '192.0.2.1',
    userAgent: 'curl/8.10.0',
    createdAt: LATER,
  },
};

/** The record of a resource in which only the required fields are set. */
function exampleRecord(area: RecordArea): object {
  const fields: Fields = DESCRIPTIONS[area];
  return {
    id: `${AREAS[area].id}_01jz5n8w3e7xk2m4q6s8v0y1zk`,
    projectId: PROJECT_ID,
    ...Object.fromEntries(
      fieldsOf(fields).flatMap(([name, { required, label }]) => (required ? [[name, label]] : [])),
    ),
    ...unsetValues(fields),
    createdAt: AT,
    updatedAt: LATER,
  };
}

export const exampleOf = (topic: Topic): object =>
  SPECIAL[topic as keyof typeof SPECIAL] ?? exampleRecord(areaOf(topic as UsualTopic));
