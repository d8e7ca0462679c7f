import { type KyselyPlugin, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChangeRunner } from '../../../src/features/changes/index.ts';
import { CreditService } from '../../../src/features/credits/index.ts';
import { CustomerService } from '../../../src/features/customers/index.ts';
import { PlanService } from '../../../src/features/plans/index.ts';
import { ProjectCache } from '../../../src/features/projects/index.ts';
import type { Actor } from '../../../src/kernel/actor.ts';
import { createIds } from '../../../src/kernel/ids.ts';
import type { Storage } from '../../../src/storage/index.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const KEYS = 100_000;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Adds copies of a key to the database. */
async function copyKey(id: string, count: number): Promise<void> {
  const row = await test.storage.read
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { seq, ...columns } = row;
  const number = sql`cast(n as text)`;
  const values = Object.keys(columns).map((column) =>
    column === 'id' || column === 'hash' || column === 'limit_group'
      ? sql`${sql.lit(`${column}_of_copy_`)} || ${number}`
      : sql.ref(`api_keys.${column}`),
  );
  const names = Object.keys(columns).map((column) => sql.ref(column));
  await test.storage.transaction(async (tx) => {
    await sql`
      insert into api_keys (${sql.join(names)})
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
      select ${sql.join(values)} from api_keys, numbers where api_keys.id = ${id}`.execute(tx);
  });
}

it('changing a plan or a customer with 100,000 keys costs as many statements and messages as with none', async () => {
  const { projectId, accountId, secrets } = test;
  const make = async (path: string, body: object) =>
    (await test.client.post(path, { projectId, ...body })).body;
  const plans = [await make('/plans', { name: 'Empty' }), await make('/plans', { name: 'Full' })];
  const customers = [
    await make('/customers', { customAccountId: 'empty' }),
    await make('/customers', { customAccountId: 'full' }),
  ];
  const key = await make('/api-keys', {
    ...{ name: 'One of many', planId: plans[1].id, customAccountId: 'full' },
  });
  await copyKey(key.id, KEYS);
  const counted = await test.client.get(`/api-keys/count?planId=${plans[1].id}`);
  expect(counted.body).toEqual({ count: KEYS, isExact: false });

  let statements = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const storage: Storage = Object.create(test.storage, {
    point: { value: test.storage.point.withPlugin(counting) },
    transaction: {
      value: (work: Parameters<Storage['transaction']>[0]) =>
        test.storage.transaction((tx) => work(tx.withPlugin(counting) as typeof tx)),
    },
  });
  let messages = 0;
  test.app.bus.subscribe((changes) => {
    messages += changes.length;
  });
  const changes = new ChangeRunner({
    ...{ storage, bus: test.app.bus, secrets, ids: createIds(), clock: () => test.clock.now },
    outbox: {
      write: async () => [],
      guardsWithoutSubscribers: () => null,
      hold: async () => {},
      release: async () => [],
      wake: () => {},
    },
  });
  const { credits: ledger } = test.app;
  const credits = new CreditService({ changes, ledger, clock: () => test.clock.now });
  const parts = { storage, changes, ids: createIds(), credits };
  const projects = new ProjectCache({ storage, bus: test.app.bus });
  const service = {
    plans: new PlanService({ ...parts, projects }),
    customers: new CustomerService({ ...parts, projects }),
  };
  const actor: Actor = {
    principal: {
      ...{ kind: 'access-key', id: 'ak_test', accountId, projectIds: null },
      scopes: new Set(['*' as const]),
    },
    requestId: 'test',
    clientAddress: null,
    userAgent: null,
  };
  const costOf = async (work: () => Promise<unknown>) => {
    [statements, messages] = [0, 0];
    await work();
    return { statements, messages };
  };
  const ofPlan = [
    await costOf(() => service.plans.update(actor, plans[0].id, { permissions: ['a'] })),
    await costOf(() => service.plans.update(actor, plans[1].id, { permissions: ['a'] })),
  ];
  expect(ofPlan[1]).toEqual(ofPlan[0]);
  expect(ofPlan[0]).toMatchObject({ messages: 1 });
  const ofCustomer = [
    await costOf(() =>
      service.customers.update(actor, { id: customers[0].id }, { permissions: ['b'] }),
    ),
    await costOf(() =>
      service.customers.update(actor, { id: customers[1].id }, { permissions: ['b'] }),
    ),
  ];
  expect(ofCustomer[1]).toEqual(ofCustomer[0]);
  expect(ofCustomer[0]).toMatchObject({ messages: 1 });
  expect(ofPlan[0]!.statements).toBeGreaterThan(0);
  // The changes are in force for the original key.
  const validated = await test.client.post('/api-keys/auth', { key: key.key });
  expect(validated.body.permissions).toEqual(['b']);
});
