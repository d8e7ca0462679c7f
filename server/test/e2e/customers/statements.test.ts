import { afterAll, beforeEach, expect, it } from 'vitest';
import { START, startTestApp, type TestApp } from '../../harness/test-app.ts';

const DAY_MS = 86_400_000;
let test: TestApp;
let id: string;
let key: string;

test = await startTestApp();
afterAll(() => test.close());

let made = 0;
beforeEach(async () => {
  test.clock.now = START;
  const customAccountId = `customer ${++made}`;
  ({ id } = (await test.client.post('/customers', { customAccountId })).body);
  ({ key } = (await test.client.post('/api-keys', { name: 'Key', customAccountId })).body);
});

const path = (more = '') => `/customers/${id}/credits${more}`;
const change = async (body: object) => (await test.client.post(path(), body)).body;
const validate = async (cost: number) =>
  (await test.client.post('/api-keys/auth', { key, cost })).body;
const statement = async (query = '') => (await test.client.get(path(`/statement${query}`))).body;

it('adds up over refills, purchases, a bonus that expires, use and corrections', async () => {
  const patch = { credits: { refill: { amount: 100, interval: 'month' } } };
  await test.client.patch(`/customers/${id}`, patch);
  await change({ add: 50, note: 'Invoice 1' });
  await change({ add: 30, source: 'bonus', expiresAt: '2030-01-11' });
  expect((await validate(20)).credits.remaining).toBe(160);
  // Records the use on its day, as the server does several times a second.
  await statement();
  test.clock.now = START + 15 * DAY_MS;
  await change({ add: -5, note: 'Mistake' });
  test.clock.now = Date.UTC(2030, 1, 3);
  await validate(7);
  await change({ set: 200 });

  const january = await statement('?from=2030-01-01&to=2030-01-31');
  expect(january).toMatchObject({
    ...{ opening: 0, refilled: 100, purchased: 50, bonus: 30, adjusted: -5 },
    ...{ expired: 10, consumed: 20, closing: 145 },
  });
  const kinds = january.entries.map((entry: object) => Object.values(entry).slice(0, 3));
  expect(kinds).toEqual([
    ['2030-01-01', 'bonus', 30],
    ['2030-01-01', 'consumed', 20],
    ['2030-01-01', 'purchased', 50],
    ['2030-01-01', 'refilled', 100],
    ['2030-01-11', 'expired', 10],
    ['2030-01-16', 'adjusted', -5],
  ]);
  // The rest of the refill of January expires with the refill of February. What was bought stays.
  expect(await statement('?from=2030-02-01&to=2030-02-28')).toMatchObject({
    ...{ opening: 145, refilled: 100, purchased: 0, bonus: 0, adjusted: 57 },
    ...{ expired: 95, consumed: 7, closing: 200 },
  });
  const { body } = await test.client.get(path());
  expect(body).toMatchObject({ remaining: 200, overdrawn: 0 });
  expect(
    body.grants.map(({ source, remaining }: Record<string, unknown>) => [source, remaining]),
  ).toEqual([
    ['refill', 93],
    ['purchase', 50],
    ['adjustment', 57],
  ]);
  expect(body.nextExpiry).toEqual({ amount: 93, at: '2030-03-01T00:00:00.000Z' });
});

it('is CSV with the balances as first and last line', async () => {
  await change({ add: 50, note: 'Invoice "1", paid' });
  const response = await test.client.get(path('/statement?format=csv&from=2030-01-01'));
  expect(response.headers.get('content-type')).toContain('text/csv');
  const grant = (await test.client.get(path())).body.grants[0].id;
  expect(response.text.split('\r\n')).toEqual([
    'date,kind,amount,grant,note',
    '2030-01-01,opening,0,,',
    `2030-01-01,purchased,50,${grant},"Invoice ""1"", paid"`,
    '2030-01-01,closing,50,,',
    '',
  ]);
});

it('refunds a grant, at most what is left of it', async () => {
  await change({ add: 50 });
  await change({ add: 30 });
  await validate(10);
  const { grants } = (await test.client.get(path())).body;
  expect(grants.map(({ remaining }: { remaining: number }) => remaining)).toEqual([40, 30]);
  expect(await change({ add: -100, grant: grants[0].id })).toMatchObject({
    remaining: 30,
    taken: 40,
  });
  expect(await change({ add: -100, grant: grants[0].id })).toMatchObject({ statusCode: 400 });
  expect(await change({ add: -100 })).toMatchObject({ remaining: 0, taken: 30 });
  expect(await statement()).toMatchObject({
    purchased: 80,
    adjusted: -70,
    consumed: 10,
    closing: 0,
  });
});

it('has at most 100 grants with credits left', async () => {
  for (let n = 0; n < 100; n++) expect((await change({ add: 1 })).remaining).toBe(n + 1);
  expect(await change({ add: 1 })).toMatchObject({ statusCode: 409, code: 'too_many_grants' });
  await validate(1);
  expect((await change({ add: 1 })).remaining).toBe(100);
});

it('keeps the statement when the credits are removed, and begins a new one for an erased owner', async () => {
  await change({ add: 50 });
  await test.client.patch(`/customers/${id}`, { credits: null });
  expect(await statement()).toMatchObject({ purchased: 50, adjusted: -50, closing: 0 });
  expect((await test.client.get(path())).body).toBeNull();
  await change({ add: 8 });
  expect(await statement()).toMatchObject({ opening: 0, purchased: 58, adjusted: -50, closing: 8 });
  const { customAccountId } = (await test.client.get(`/customers/${id}`)).body;
  await test.client.delete(`/customers/${id}`);
  ({ id } = (await test.client.post('/customers', { customAccountId })).body);
  expect(await statement()).toMatchObject({ opening: 0, purchased: 0, closing: 0, entries: [] });
});

it.each([
  ['?from=2030-02-01&to=2030-01-01', 'from must not be after to'],
  ['?from=2028-01-01&to=2030-01-01', 'at most 366 days'],
  ['?from=2030-1-1', 'from'],
])('rejects %s', async (query, message) => {
  const body = await statement(query);
  expect([body.statusCode, body.message]).toEqual([400, expect.stringContaining(message)]);
});

it('shows the credits of a key that pays itself, not those of its customer', async () => {
  const own = (await test.client.post('/api-keys', { name: 'Own', credits: { remaining: 5 } }))
    .body;
  const credits = await test.client.get(`/api-keys/${own.id}/credits`);
  expect(credits.body.grants).toMatchObject([{ source: 'purchase', amount: 5, remaining: 5 }]);
  const ofCustomer = await test.client.get(`/api-keys/${key}/credits`);
  expect([ofCustomer.status, ofCustomer.body]).toEqual([200, null]);
  const { body } = await test.client.get(`/api-keys/${own.id}/credits/statement`);
  expect(body).toMatchObject({ purchased: 5, closing: 5 });
});
