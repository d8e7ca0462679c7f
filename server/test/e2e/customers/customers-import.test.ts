import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const importing = async (customers: readonly unknown[], more: object = {}) => {
  const { status, body } = await test.client.post('/customers/import', { customers, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.results;
};
const get = async (id: string) => (await test.client.get(`/customers/${id}`)).body;

describe('an import of customers', () => {
  it('creates each row, and reports invalid ones by their position', async () => {
    const plan = (await test.client.post('/plans', { name: 'Pro' })).body;
    const whole = {
      customAccountId: 'acme',
      name: 'Acme Inc.',
      email: 'ops@acme.example',
      planId: plan.id,
      customMetaData: { seats: 5 },
      tags: ['eu'],
      permissions: ['documents.read'],
      limits: [{ name: 'day', rateLimit: 5, rateLimitTtl: 86_400, per: 'customer' }],
      credits: { remaining: 7, refill: { amount: 10, interval: 'month' } },
    };
    const rows = [
      whole,
      { customAccountId: 'acme', name: 'Twice' },
      { name: 'Without id' },
      'text',
      { customAccountId: 'b', planId: 'pln_0000000000000000000000000' },
      { customAccountId: 'c', unknown: 1 },
      { customAccountId: 'd', credits: {} },
      { customAccountId: 'e', projectId: 'prj_0000000000000000000000000' },
      { customAccountId: 'f' },
    ];
    const results = await importing(rows);
    expect(results.map(({ index }: { index: number }) => index)).toEqual(rows.map((_, n) => n));
    const refused = (code: string, message: string) => ({
      status: 'refused',
      code,
      message: expect.stringContaining(message),
    });
    expect(results).toMatchObject([
      { status: 'imported' },
      refused('customer_exists', 'Row 0'),
      refused('invalid_body', 'customAccountId'),
      refused('invalid_body', 'The row'),
      refused('plan_not_found', ''),
      refused('invalid_body', 'unknown'),
      refused('invalid_body', 'credits'),
      refused('project_not_found', ''),
      { status: 'imported' },
    ]);
    const day = { algorithm: 'fixed', mode: 'enforce', ...whole.limits[0] };
    const credits = { remaining: 7, refill: { ...whole.credits.refill, timezone: 'UTC' } };
    expect(await get(results[0].id)).toMatchObject({ ...whole, limits: [day], credits });
    const { body: audit } = await test.client.get(`/audit-logs?target=${results[8].id}`);
    expect(audit[0].action).toBe('customer.created');
  });

  it('can be repeated: existing customers are not changed', async () => {
    const [first] = await importing([{ customAccountId: 'again', name: 'Before' }]);
    const again = await importing([{ customAccountId: 'again', name: 'After' }]);
    expect(again).toEqual([{ index: 0, status: 'exists', id: first.id }]);
    expect((await get(first.id)).name).toBe('Before');
  });

  it('writes nothing in a dry run', async () => {
    const rows = [{ customAccountId: 'dry' }, { customAccountId: 'dry 2', planId: 'pln_0' }];
    const results = await importing(rows, { dryRun: true });
    expect(results).toMatchObject([
      { index: 0, status: 'importable' },
      { status: 'refused', code: 'plan_not_found' },
    ]);
    const missing = await test.client.get(`/customers/dry?projectId=${test.projectId}`);
    expect(missing.status).toBe(404);
  });

  it('applies at once to keys that are already cached', async () => {
    const fields = { name: 'k', customAccountId: 'cached' };
    const { key } = (await test.client.post('/api-keys', fields)).body;
    expect((await test.client.post(`/api-keys/auth/${key}`)).body.permissions).toBeUndefined();
    await importing([{ customAccountId: 'cached', permissions: ['one'] }]);
    expect((await test.client.post(`/api-keys/auth/${key}`)).body.permissions).toEqual(['one']);
  });

  it('creates rows in few transactions, with an audit row for each', async () => {
    const { storage } = test;
    const transaction = storage.transaction.bind(storage);
    let transactions = 0;
    const rows = Array.from({ length: 1000 }, (_, n) => ({ customAccountId: `bulk ${n}` }));
    Object.assign(storage, {
      transaction: (...args: Parameters<typeof transaction>) => {
        transactions++;
        return transaction(...args);
      },
    });
    const results = await importing(rows).finally(() => Object.assign(storage, { transaction }));
    expect(results).toHaveLength(1000);
    // Ten for the customers; some are of background work.
    expect(transactions).toBeLessThan(50);
    const ids = results.map(({ id }: { id: string }) => id);
    const audits = await storage.point
      .selectFrom('audit_log')
      .select('target_id')
      .where('action', '=', 'customer.created')
      .where('target_id', '>=', ids[0])
      .execute();
    expect(audits.map(({ target_id }) => target_id).sort()).toEqual(ids);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('beside others of the same rows creates each customer once', async () => {
    const rows = Array.from({ length: 300 }, (_, n) => ({
      customAccountId: `raced ${n}`,
      ...(n % 100 === 0 && { credits: { remaining: n } }),
    }));
    const all = await Promise.all([rows, rows.toReversed(), rows].map((each) => importing(each)));
    const statuses = all.flatMap((each) => each.map(({ status }: { status: string }) => status));
    expect(statuses.filter((status: string) => status === 'imported')).toHaveLength(300);
    expect(statuses.filter((status: string) => status === 'exists')).toHaveLength(600);
    const [first, reversed] = all;
    expect(reversed!.toReversed().map(({ id }: { id: string }) => id)).toEqual(
      first!.map(({ id }: { id: string }) => id),
    );
  });

  it('leaves the credits that a plan opened for the keys of a customer', async () => {
    const plan = await test.client.post('/plans', {
      name: 'Paid',
      credits: { amount: 10, interval: 'month' },
    });
    const fields = { name: 'k', customAccountId: 'opened', planId: plan.body.id };
    const { key } = (await test.client.post('/api-keys', fields)).body;
    expect((await test.client.post(`/api-keys/auth/${key}`)).status).toBe(200);
    const [{ id, status }] = await importing([{ customAccountId: 'opened' }]);
    expect(status).toBe('imported');
    expect((await get(id)).credits).toMatchObject({ remaining: 9 });
    const { body: audit } = await test.client.get(`/audit-logs?target=${id}`);
    expect(audit[0].after.credits).not.toBeNull();
  });

  it('needs credits:write for credits, and takes a thousand rows at most', async () => {
    const scopes = ['customers:write'];
    const { body } = await test.client.post('/access-keys', { name: 'Importer', scopes });
    const rows = [
      { customAccountId: 'paid', credits: { remaining: 1 } },
      { customAccountId: 'unpaid' },
    ];
    const { body: result } = await test.client
      .as(body.key)
      .post('/customers/import', { customers: rows });
    expect(result.results).toMatchObject([
      { status: 'refused', code: 'scope_missing' },
      { status: 'imported' },
    ]);
    const many = Array.from({ length: 1001 }, (_, n) => ({ customAccountId: `many ${n}` }));
    const { status } = await test.client.post('/customers/import', { customers: many });
    expect(status).toBe(400);
    expect(await importing(many.slice(1))).toHaveLength(1000);
    const elsewhere = { customers: [], projectId: 'prj_0000000000000000000000000' };
    expect((await test.client.post('/customers/import', elsewhere)).status).toBe(404);
  });
});

describe('an import of keys', () => {
  it('gives them credits, which need credits:write', async () => {
    const credits = { remaining: 5, refill: { amount: 9, interval: 'day' } };
    const rows = [
      { name: 'paid', key: 'imported-key-with-credits', credits },
      { name: 'bad', key: 'imported-key-bad-credits', credits: { refill: null } },
    ];
    const { body } = await test.client.post('/api-keys/import', { keys: rows, events: true });
    expect(body.results).toMatchObject([
      { status: 'imported' },
      { status: 'refused', code: 'invalid_body', message: expect.stringContaining('credits') },
    ]);
    const spent = await test.client.post('/api-keys/auth', {
      key: 'imported-key-with-credits',
      cost: 2,
    });
    expect(spent.body.credits.remaining).toBe(3);
    const { body: shown } = await test.client.get(`/api-keys/${body.results[0].id}`);
    expect(shown.credits).toMatchObject({ remaining: 3, refill: { ...credits.refill } });
    const access = await test.client.post('/access-keys', { name: 'k', scopes: ['keys:write'] });
    const refused = await test.client.as(access.body.key).post('/api-keys/import', {
      keys: [{ ...rows[0], key: 'imported-key-without-scope' }],
    });
    expect(refused.body.results).toMatchObject([{ status: 'refused', code: 'scope_missing' }]);
  });
});
