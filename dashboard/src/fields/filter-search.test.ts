import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { expect, it } from 'vitest';
import { fieldFilters, filterQuery, noFilters, parseFilters } from './filter-search.ts';

const COLOUR = { kind: 'text', max: 40, label: 'Colour', option: 'colour', help: '' } as const;
const FILTERS = fieldFilters({ ...CUSTOMER, colour: { ...COLOUR, filter: 'colour' } });

it('a list is filtered by each field that has a filter', () => {
  expect(noFilters(FILTERS)).toEqual({ plan: undefined, tag: undefined, colour: undefined });
  const search = { plan: 'pln_1', tag: 'beta', colour: 'red' };
  expect(filterQuery(FILTERS, search)).toEqual({ planId: 'pln_1', tag: ['beta'], colour: 'red' });
  expect(filterQuery(FILTERS, { colour: undefined })).toEqual({});
});

it('the URL takes numbers as text and ignores invalid values', () => {
  const raw = { tag: 12, plan: '', colour: 'x'.repeat(257), name: 'a' };
  expect(parseFilters(FILTERS, raw)).toEqual({ tag: '12' });
  expect(parseFilters(FILTERS, { plan: null, tag: ['a'], colour: undefined })).toEqual({});
});

it('a page can offer some filters in another way', () => {
  const except = ['name', 'customAccountId', 'customUserId'] as const;
  expect(noFilters(fieldFilters(API_KEY, except))).toEqual({ plan: undefined, tag: undefined });
  // @ts-expect-error: keys have no such filter
  filterQuery(fieldFilters(API_KEY, except), { customAccountId: 'acme' });
});
