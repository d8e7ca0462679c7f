import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBatch } from '../../src/features/webhooks/sending/batch.ts';
import { SCOPES } from '../../src/kernel/authority.ts';
import { createMember, type TestMember } from '../harness/member.ts';
import { scaled } from '../harness/scale.ts';
import { runSeed, SeededRandom } from '../harness/seeded-random.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import type { TestClient } from '../harness/test-client.ts';
import { deliveryRows, eventually, LOOPBACK } from './delivery-app.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const BOTH = ['api-key.created', 'access-key.created'];

let app: TestApp;
let receiver: Receiver;
let paths = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ webhookAllow: LOOPBACK });
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});

type Caller = Pick<TestClient, 'post' | 'patch'>;
interface Hook {
  readonly id: string;
  readonly path: string;
}

const newAccessKey = async (fields: object = {}) =>
  (await app.client.post('/access-keys', { name: 'Access', ...fields })).body;

async function subscribe(caller: Caller, fields: object = {}, kind = 'hook'): Promise<Hook> {
  const path = `/${kind}/${++paths}`;
  const url = `${receiver.url}${path}`;
  const response = await caller.post('/webhooks', { name: 'H', url, topics: BOTH, ...fields });
  expect(response.status, response.text).toBe(201);
  return { id: response.body.id, path };
}

/** The body received on this path for the key with this id. */
async function arrived(path: string, keyId: string): Promise<string> {
  const find = () =>
    receiver.received.find((one) => one.path === path && JSON.parse(one.body).data.id === keyId);
  await receiver.until(() => find() !== undefined);
  return find()!.body;
}

async function getsValue(hook: Hook, made: { id: string; key: string }): Promise<boolean> {
  const body = await arrived(hook.path, made.id);
  const isValueSent = body.includes(made.key);
  if (!isValueSent) expect(JSON.parse(body).data.key).toContain('*********');
  return isValueSent;
}

const setScopes = (id: string, scopes: readonly string[]) =>
  app.client.patch(`/access-keys/${id}`, { scopes });

/** The scopes required to subscribe to both topics. */
const SUBSCRIBING = ['webhooks:write', 'keys:write', 'access-keys:write'];

describe('the value of a new key', () => {
  it('is not sent to a subscriber who may not create such a key', async () => {
    const { id, key } = await newAccessKey({ scopes: SUBSCRIBING });
    const hook = await subscribe(app.client.as(key));
    const owners = await subscribe(app.client);
    const strong = await newAccessKey();
    const weak = await newAccessKey({ scopes: ['keys:write'] });
    expect(await getsValue(hook, strong)).toBe(false);
    expect(await getsValue(hook, weak)).toBe(true);
    expect(await getsValue(owners, strong)).toBe(true);
    expect((await app.client.get(`/webhooks/${hook.id}`)).body.setBy).toEqual({
      url: id,
      httpMethod: id,
      customHeaders: id,
      topics: id,
      projectId: id,
    });
  });

  it('is sent to exactly those who could create the key themselves', async () => {
    const seed = runSeed();
    const random = new SeededRandom(seed);
    const other = (await app.client.post('/projects', { name: 'Other' })).body.id;
    const levels = [null, app.projectId, other];
    const someScopes = () => {
      if (random.chance(0.15)) return ['*'];
      const scopes = SCOPES.filter(() => random.chance(random.pick([0.2, 0.9])));
      return scopes.length === 0 ? ['keys:read'] : scopes;
    };

    const subscribers: { caller: Caller; hook: Hook }[] = [];
    for (let n = 0; n < scaled(12, 6); n++) {
      const projectId = random.pick(levels);
      const { id, key } = await newAccessKey({ projectId });
      const caller = app.client.as(key);
      const hook = await subscribe(caller, { projectId });
      const scopes = [...SUBSCRIBING.filter(() => random.chance(0.8)), ...someScopes()];
      expect((await setScopes(id, [...new Set(scopes)])).status).toBe(200);
      subscribers.push({ caller, hook });
    }
    for (const role of ['owner', 'admin', 'developer', 'viewer'] as const)
      for (const projectIds of [null, [app.projectId]]) {
        const person = await createMember(app, [{ accountId: app.accountId, role: 'owner' }]);
        const hook = await subscribe(person, { projectId: null });
        await setRole(person, role, projectIds);
        subscribers.push({ caller: person, hook });
      }

    const made = [];
    for (let n = 0; n < scaled(16, 8); n++) {
      const isAccessKey = random.chance(0.6);
      const route = isAccessKey ? '/access-keys' : '/api-keys';
      const body = isAccessKey
        ? { name: 'New', projectId: random.pick(levels), scopes: someScopes() }
        : { name: 'New', projectId: random.pick([app.projectId, other]) };
      const { body: record } = await app.client.post(route, body);
      made.push({ route, body, record });
    }
    const shown: { caller: Caller; key: (typeof made)[number]; isValueSent: boolean }[] = [];
    for (const { caller, hook } of subscribers) {
      const rows = await app.client.get(`/webhooks/${hook.id}`);
      for (const key of made) {
        const { projectId } = rows.body;
        if (projectId !== null && projectId !== key.body.projectId) continue;
        shown.push({ caller, key, isValueSent: await getsValue(hook, key.record) });
      }
    }
    for (const { hook } of subscribers) await app.client.delete(`/webhooks/${hook.id}`);
    for (const { caller, key, isValueSent } of shown) {
      const { status } = await caller.post(key.route, key.body);
      expect(isValueSent, `seed ${seed}: ${JSON.stringify(key.body)} is ${status}`).toBe(
        status === 201,
      );
    }
    expect(new Set(shown.map(({ isValueSent }) => isValueSent)).size).toBe(2);
  });
});

async function setRole(person: TestMember, role: string, projectIds: string[] | null = null) {
  const project_ids = projectIds && JSON.stringify(projectIds);
  await app.storage.transaction((tx) =>
    tx
      .updateTable('memberships')
      .set({ role, project_ids })
      .where('user_id', '=', person.id)
      .execute(),
  );
}

describe('the rights at the time of the event decide', () => {
  it.each<[string, boolean, (id: string) => Promise<unknown>]>([
    ['revoked', false, (id) => app.client.delete(`/access-keys/${id}`)],
    ['reduced', false, (id) => setScopes(id, ['webhooks:write', 'keys:write'])],
    ['expired', false, (id) => app.client.patch(`/access-keys/${id}`, { expiry: '2029-12-31' })],
    ['rotated', true, (id) => app.client.post(`/access-keys/${id}/rotate`)],
    ['renamed', true, (id) => app.client.patch(`/access-keys/${id}`, { name: 'Other' })],
  ])('for an access key that was %s since: value sent %s', async (_, isValueSent, change) => {
    const { id, key } = await newAccessKey();
    const hook = await subscribe(app.client.as(key));
    await change(id);
    const made = await newAccessKey({ scopes: ['access-keys:write'] });
    expect(await getsValue(hook, made)).toBe(isValueSent);
  });

  it('for a person whose role was lowered, and for one who left', async () => {
    const membership = [{ accountId: app.accountId, role: 'owner' as const }];
    const [lowered, left, stays] = await Promise.all([
      createMember(app, membership),
      createMember(app, membership),
      createMember(app, membership),
    ]);
    const hooks = [await subscribe(lowered), await subscribe(left), await subscribe(stays)];
    await stays.patch(`/users/${lowered.id}/roles`, { role: 'developer' });
    await stays.delete(`/users/${left.id}/roles`);
    const made = await newAccessKey({ scopes: ['keys:read'] });
    const seen = [];
    for (const hook of hooks) seen.push(await getsValue(hook, made));
    expect(seen).toEqual([false, false, true]);
  });
});

describe('when a webhook was changed', () => {
  const newFullAccessKey = () => newAccessKey();
  const clientWithFewScopes = async () =>
    app.client.as((await newAccessKey({ scopes: SUBSCRIBING })).key);

  it.each([
    ['url', () => ({ url: `${receiver.url}/hook/moved` })],
    ['httpMethod', () => ({ httpMethod: 'PUT' })],
    ['customHeaders', () => ({ customHeaders: { 'x-forward-to': 'elsewhere' } })],
    ['topics', () => ({ topics: [...BOTH, 'project.updated'] })],
    ['projectId', () => ({ projectId: app.projectId })],
  ])(
    'by another principal (%s), everyone who configured it must have the right',
    async (field, change) => {
      const hook = await subscribe(app.client);
      const low = await clientWithFewScopes();
      expect((await low.patch(`/webhooks/${hook.id}`, change())).status).toBe(200);
      const path = field === 'url' ? '/hook/moved' : hook.path;
      const made = await newAccessKey({ projectId: app.projectId });
      expect(await getsValue({ ...hook, path }, made)).toBe(false);
      const within = await newAccessKey({ projectId: app.projectId, scopes: ['keys:write'] });
      expect(await getsValue({ ...hook, path }, within)).toBe(true);
    },
  );

  it('values are still sent after a new name, a pause, or a change by another owner', async () => {
    const hook = await subscribe(app.client);
    const low = await clientWithFewScopes();
    await low.patch(`/webhooks/${hook.id}`, { name: 'Renamed', status: 'paused' });
    await low.patch(`/webhooks/${hook.id}`, { status: 'live' });
    const owner = await createMember(app, [{ accountId: app.accountId, role: 'owner' }]);
    await owner.patch(`/webhooks/${hook.id}`, { httpMethod: 'PUT' });
    expect(await getsValue(hook, await newFullAccessKey())).toBe(true);
  });

  it('values are not sent if an owner changed only the topics and the URL was set with fewer rights', async () => {
    const hook = await subscribe(await clientWithFewScopes(), { topics: ['access-key.created'] });
    await app.client.patch(`/webhooks/${hook.id}`, { topics: BOTH });
    expect(await getsValue(hook, await newFullAccessKey())).toBe(false);
  });

  it('waiting values are not sent to a URL that another principal set', async () => {
    const hook = await subscribe(app.client, {}, 'hang');
    const made = await newFullAccessKey();
    expect(await getsValue(hook, made)).toBe(true);
    const low = await clientWithFewScopes();
    await low.patch(`/webhooks/${hook.id}`, { url: `${receiver.url}/hook/theirs` });
    const [row] = await deliveryRows(app, hook.id);
    expect(row).toMatchObject({ status: 'pending', carries_value: 0 });
    const sealedData = async () =>
      (
        await app.storage.point
          .selectFrom('events')
          .select('sealed_data')
          .where('id', '=', row!.event_id)
          .executeTakeFirstOrThrow()
      ).sealed_data;
    // Erased after the deliveries to the webhooks of other tests have ended too.
    await expect.poll(sealedData).toBeNull();
  });

  it('waiting values are not sent if another principal takes the webhook over and then changes its URL', async () => {
    const hook = await subscribe(app.client, {}, 'hang');
    expect(await getsValue(hook, await newFullAccessKey())).toBe(true);
    const low = await clientWithFewScopes();
    expect((await low.patch(`/webhooks/${hook.id}`, { takeOver: true })).status).toBe(200);
    await low.patch(`/webhooks/${hook.id}`, { url: `${receiver.url}/hook/theirs` });
    expect((await deliveryRows(app, hook.id))[0]).toMatchObject({ carries_value: 0 });
  });

  it('a value is not sent if the webhook was changed after its delivery was claimed', async () => {
    const hook = await subscribe(app.client, {}, 'hang');
    expect(await getsValue(hook, await newFullAccessKey())).toBe(true);
    const [row] = await deliveryRows(app, hook.id);
    const claimed = {
      id: row!.id,
      eventId: row!.event_id,
      webhookId: hook.id,
      projectId: row!.project_id,
      carriesValue: true,
      attempts: 0,
      leaseToken: row!.lease_token!,
    };
    const carriesValue = async () =>
      (await loadBatch(app.storage, [claimed])).send.map(({ delivery }) => delivery.carriesValue);
    expect(await carriesValue()).toEqual([true]);
    await (await clientWithFewScopes()).patch(`/webhooks/${hook.id}`, { httpMethod: 'PUT' });
    expect(await carriesValue()).toEqual([false]);
  });

  it('waiting values stay when the creator moves the webhook', async () => {
    const hook = await subscribe(app.client, {}, 'hang');
    expect(await getsValue(hook, await newFullAccessKey())).toBe(true);
    await app.client.patch(`/webhooks/${hook.id}`, { url: `${receiver.url}/hook/own` });
    expect((await deliveryRows(app, hook.id))[0]).toMatchObject({ carries_value: 1 });
  });

  it('it gets values again after a principal with the rights takes it over', async () => {
    const hook = await subscribe(await clientWithFewScopes());
    const path = `/webhooks/${hook.id}`;
    const { status, body } = await app.client.patch(path, { takeOver: true });
    expect(status).toBe(200);
    expect(new Set(Object.values(body.setBy)).size).toBe(1);
    expect(await getsValue(hook, await newFullAccessKey())).toBe(true);
    const bare = await newAccessKey({ scopes: ['webhooks:write'] });
    const refused = await app.client.as(bare.key).patch(path, { takeOver: true });
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    expect((await app.client.get(path)).body.setBy).toEqual(body.setBy);
  });
});

describe('a webhook whose creator is unknown', () => {
  const overwrite = (id: string, columns: { set_by: null } | { url: string }) =>
    app.storage.transaction((tx) =>
      tx.updateTable('webhooks').set(columns).where('id', '=', id).execute(),
    );

  it('gets masked values, whether an older version created it or changed it', async () => {
    const older = await subscribe(app.client);
    await overwrite(older.id, { set_by: null });
    const changed = await subscribe(app.client);
    await overwrite(changed.id, { url: `${receiver.url}${changed.path}?moved` });
    const made = await newAccessKey({ scopes: ['keys:read'] });
    expect(await getsValue(older, made)).toBe(false);
    expect(await getsValue({ ...changed, path: `${changed.path}?moved` }, made)).toBe(false);
    const seen = await app.client.patch(`/webhooks/${older.id}`, { name: 'Renamed' });
    expect(seen.body.setBy.url).toBeNull();
    await app.client.patch(`/webhooks/${older.id}`, { takeOver: true });
    expect(await getsValue(older, await newAccessKey())).toBe(true);
  });
});

describe('a retry', () => {
  it('of a finished delivery sends the mask', async () => {
    const hook = await subscribe(app.client);
    const waiting = await subscribe(app.client, {}, 'hang');
    const made = await newAccessKey();
    expect(await getsValue(hook, made)).toBe(true);
    expect(await getsValue(waiting, made)).toBe(true);
    const [row] = await eventually(
      () => deliveryRows(app, hook.id),
      ([one]) => one!.status === 'delivered',
    );
    await app.client.post(`/webhooks/${hook.id}/deliveries/${row!.id}/retry`);
    const sent = () => receiver.received.filter(({ path }) => path === hook.path);
    await receiver.until(() => sent().length === 2);
    expect(sent()[1]!.body).not.toContain(made.key);
  });
});
