import Type from 'typebox';
import { expect, it } from 'vitest';
import { startTestApp } from '../../../test/harness/test-app.ts';
import { slowReadMessage } from './slow-read.ts';

const withParameters = (...names: string[]) => ({
  query: Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())]))),
});

it('names what is missing from the request, and what costs time in it', () => {
  const route = withParameters('projectId', 'customAccountId', 'search', 'sort', 'offset', 'limit');
  expect(slowReadMessage(route, { search: 'a' })).toMatch(
    /add `customAccountId` or `projectId`\.$/,
  );
  expect(slowReadMessage(route, { customAccountId: 'c', sort: 'name', offset: '0' })).toMatch(
    /add `projectId`, or leave out `sort`\.$/,
  );
  expect(slowReadMessage(route, { projectId: 'p', customAccountId: 'c', offset: '900' })).toMatch(
    /faster, use `cursor` instead of `offset`\.$/,
  );
  expect(slowReadMessage(withParameters('from', 'to'), {})).toContain('with `from` and `to`');
  expect(slowReadMessage({}, {})).toContain('send less at a time');
});

it('names a parameter of its route, for every list', async () => {
  const test = await startTestApp();
  const lists = test.app.routes.filter(({ list }) => list);
  expect(lists.length).toBeGreaterThan(10);
  for (const route of lists) {
    const [, name = ''] = /`(\w+)`/.exec(slowReadMessage(route, {})) ?? [];
    expect(Object.keys(route.query?.properties ?? {}), route.path).toContain(name);
  }
  await test.close();
});
