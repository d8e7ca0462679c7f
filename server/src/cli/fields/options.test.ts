import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { PLAN } from '@keyward/rules/resources/plan.ts';
import { PROJECT } from '@keyward/rules/resources/project.ts';
import { expect, it } from 'vitest';
import type { ValuesOf } from '../command.ts';
import { UsageError } from '../failure.ts';
import { filterOptions, filterValues, withListed } from './filters.ts';
import { changeOptions, clearable, fieldOptions, fieldValues } from './options.ts';

it('an option that no field has does not compile', () => {
  const create = fieldOptions(API_KEY);
  const filters = filterOptions(API_KEY, 'keys');
  const values: Partial<ValuesOf<typeof create>> = {};
  expect([
    create.tag.multiple,
    // @ts-expect-error: it is called `tag`
    create.tags,
    // @ts-expect-error: `--expirey`
    values.expirey,
    // @ts-expect-error: keys are not found by their expiry
    filters.expiry,
    // @ts-expect-error: it is set when the customer is created
    changeOptions(CUSTOMER)['account-id'],
    // @ts-expect-error: the credits of a plan are refilled as --credits says
    fieldOptions(PLAN).refill,
  ]).toEqual([true, undefined, undefined, undefined, undefined, undefined]);
  // @ts-expect-error: a list
  expect(fieldValues(API_KEY, { tag: 'eu' })).toEqual({ tags: 'eu' });
});

it('a new record needs the required options; a change has neither those nor fixed ones', () => {
  const required = (options: object) =>
    Object.entries(options).flatMap(([name, { required }]) => (required ? [name] : []));
  expect(required(fieldOptions(API_KEY))).toEqual(['name']);
  expect(required(fieldOptions(CUSTOMER))).toEqual(['account-id']);
  expect(required(changeOptions(API_KEY))).toEqual([]);
  expect(changeOptions(PROJECT)).not.toHaveProperty('env');
});

it('values become what the request takes, under its name', () => {
  expect(
    fieldValues(API_KEY, {
      expiry: '2030-01-01',
      limit: ['day=10000/1d,customer', 'second=20/1,sliding,shadow'],
      'rate-limit': '10/1m',
      refill: '1000/month,Europe/Berlin',
    }),
  ).toEqual({
    expiry: '2030-01-01',
    limits: [
      { name: 'day', rateLimit: 10_000, rateLimitTtl: 86_400, per: 'customer' },
      { name: 'second', rateLimit: 20, rateLimitTtl: 1, algorithm: 'sliding', mode: 'shadow' },
    ],
    rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
    credits: { refill: { amount: 1000, interval: 'month', timezone: 'Europe/Berlin' } },
  });
  expect(fieldValues(CUSTOMER, { credits: '5' })).toEqual({ credits: { remaining: 5 } });
  expect(fieldValues(PLAN, { credits: '5' })).toEqual({ credits: { amount: 5, interval: null } });
  for (const wrong of [
    { limit: ['day'] },
    { limit: ['d=1/1,x'] },
    { refill: '5' },
    { credits: 'x' },
  ])
    expect(() => fieldValues(API_KEY, wrong)).toThrow(UsageError);
});

it('--clear takes the fields that can be unset', () => {
  expect(clearable(API_KEY)).toMatchObject({ expiry: 'expiry', tag: 'tags', plan: 'planId' });
  for (const option of ['name', 'metadata']) expect(clearable(API_KEY)).not.toHaveProperty(option);
  expect(Object.keys(clearable(PROJECT))).toEqual([
    'key-prefix',
    'default-plan',
    'unit',
    'portal-origin',
    'resource',
  ]);
});

it('filters are sent under the names of the query', () => {
  expect(filterValues(API_KEY, { 'account-id': 'acme', tag: ['eu'], expiry: '2030' })).toEqual({
    name: undefined,
    customAccountId: 'acme',
    customUserId: undefined,
    planId: undefined,
    tag: ['eu'],
  });
});

it('a list shows every listed field', () => {
  const region = { ...API_KEY.tags, label: 'Region' };
  const shown = withListed(
    [
      { field: 'id', title: 'id' },
      { field: 'tags', title: 'tags' },
    ],
    {
      tags: API_KEY.tags,
      metadata: API_KEY.customMetaData,
      region,
    },
  );
  expect(shown.map(({ title }) => title)).toEqual(['id', 'tags', 'region']);
});

it('a text that names another field names its option', () => {
  expect(fieldOptions(CUSTOMER)['account-id'].help).toContain('the --account-id of its keys');
});
