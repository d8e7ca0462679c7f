/** A request whose CPU time is measured. */
export interface MeasuredQuery {
  readonly name: string;
  readonly path: string;
}

const of =
  (group: string, path: string) =>
  (query: string): MeasuredQuery => ({ name: `${group} ${query}`, path: `${path}?${query}` });

const SOON = '2026-12-01T00:00:00Z';
const LONG_AGO = '2001-09-10T00:00:00Z';

const keys = [
  ...['createdAt', 'name', 'expiresAt', 'lastUsedAt'].flatMap((sort) => [
    `sort=${sort}&order=ascending`,
    `sort=${sort}&order=descending`,
  ]),
  ...['name=Service 1 key 1', 'customAccountId=customer-5', 'customAccountId=null'],
  ...['customUserId=user-30', 'customUserId=null', 'isActive=true', 'isActive=false'],
  ...['planId=pln_00000000000000000000000001', 'search=key 1999', 'search=no such key'],
  ...['tag=production', 'tag=legacy', 'tag=none', 'limited=true', 'limited=false'],
  ...['lowCredits=true', 'lowCredits=false'],
  ...[`expiresAfter=${SOON}`, `expiresBefore=${SOON}`, `expiresBefore=${LONG_AGO}`],
];

const customers = [
  '',
  'search=company-19',
  'search=nobody',
  'tag=paying',
  'tag=legacy',
  'tag=none',
];

const totals = ['', 'sort=total', 'sort=cost', 'sort=name', 'sort=lastUsedAt'];
const subjects = ['customAccountId=customer-5', 'customUserId=user-30', 'customUserId=null'];
const plan = 'planId=pln_00000000000000000000000001';

const usage = ['key', 'customAccountId', 'customUserId', 'outcome', 'accessKey', 'plan'].flatMap(
  (by) => [
    `groupBy=${by}&interval=day`,
    ...(by === 'outcome' || by === 'accessKey' ? [] : [`groupBy=${by}&interval=day&sort=total`]),
  ],
);

const withLimit = (query: string) => (query === '' ? 'limit=100' : `${query}&limit=100`);

/** Each sort and each filter alone, as the first page, for the account and for its project. */
export const queriesOf = (projectId: string): MeasuredQuery[] => [
  ...keys.map(withLimit).map(of('keys', '/api-keys')),
  ...keys.map((query) => `projectId=${projectId}&${withLimit(query)}`).map(of('keys', '/api-keys')),
  ...keys.slice(8).map(of('count', '/api-keys/count')),
  ...customers.map(withLimit).map(of('customers', '/customers')),
  ...[...totals, ...subjects, plan].map(withLimit).map(of('totals', '/analytics/api-key-totals')),
  ...totals
    .map((query) => `projectId=${projectId}&${withLimit(query)}`)
    .map(of('totals', '/analytics/api-key-totals')),
  ...[...subjects, plan].map(withLimit).map(of('project totals', '/analytics/project-totals')),
  ...usage.map(withLimit).map(of('usage', '/analytics/usage')),
  ...usage
    .map((query) => `projectId=${projectId}&${withLimit(query)}`)
    .map(of('usage', '/analytics/usage')),
  ...[...subjects, plan]
    .map((subject) => `groupBy=outcome&interval=day&${subject}&limit=100`)
    .map(of('usage', '/analytics/usage')),
];
