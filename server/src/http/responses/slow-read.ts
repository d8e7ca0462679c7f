import type { Route } from '../../kernel/route.ts';

/** Parameters that select a small part of a list by an index, the smallest part first. */
const NARROW = ['key', 'customAccountId', 'customUserId', 'target', 'actor', 'planId', 'projectId'];
const NAMED_MAX = 2;

type Values = Readonly<Record<string, unknown>>;

/** What would make this request faster, in terms of the parameters of its route. */
export function slowReadMessage({ query }: Pick<Route, 'query'>, given: Values): string {
  const has = (name: string) => query !== undefined && name in query.properties;
  const narrow = NARROW.filter((name) => has(name) && given[name] === undefined);
  const list = narrow.slice(0, NAMED_MAX).join('` or `');
  const advice = [
    ...(Number(given.offset ?? 0) > 0 ? ['use `cursor` instead of `offset`'] : []),
    ...(has('from') ? ['choose a shorter time with `from` and `to`'] : []),
    ...(list === '' ? [] : [`add \`${list}\``]),
    ...(given.sort === undefined ? [] : ['leave out `sort`']),
  ];
  if (advice.length === 0)
    advice.push(has('limit') ? 'choose a smaller `limit`' : 'send less at a time');
  return `The database did not answer within the time that one query may take. To make it faster, ${advice.join(', or ')}.`;
}
