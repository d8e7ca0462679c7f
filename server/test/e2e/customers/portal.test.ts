import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeEvents } from '../../harness/store-events.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestResponse } from '../../harness/test-client.ts';
import { rawDatabase } from '../raw-database.ts';

/** Part of every value of the second customer; no response of the portal may contain it. */
const CANARY = 'canary-7f3a';
const MARKUP = `"><img src=x onerror=alert(1)><script>alert('ü')</script>`;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
  await storeEvents(test.client);
  const { client, projectId } = test;
  const secret = {
    projectId,
    customAccountId: `${CANARY}-id`,
    customUserId: `${CANARY}-user`,
    customMetaData: { note: CANARY },
  };
  await client.post('/customers', { customAccountId: `${CANARY}-id`, projectId, name: CANARY });
  for (let n = 0; n < 3; n++) {
    const { body } = await client.post('/api-keys', { name: `${CANARY} ${n}`, ...secret });
    await client.post('/api-keys/auth', { key: body.key });
  }
});
afterAll(() => test.close());

interface Session {
  readonly id: string;
  readonly token: string;
  readonly url: string;
}

async function open(customAccountId: string, fields: object = {}): Promise<Session> {
  const body = { customAccountId, projectId: test.projectId, ...fields };
  const answer = await test.client.post('/portal-sessions', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

/**
 * A client of a customer. Checks that no response contains data of the second customer or internal fields.
 */
function customer({ token }: Pick<Session, 'token'>, headers: Record<string, string> = {}) {
  const anyone = test.client.as(null);
  const all = { authorization: `Bearer ${token}`, ...headers };
  const checked = async (answer: Promise<TestResponse>) => {
    const { text, status } = await answer;
    expect(text).not.toContain(CANARY);
    // An error may name a field that the request must not have.
    if (status < 400)
      expect(text).not.toMatch(
        /customMetaData|creationContext|accountId":"acc_|limit_group|"hash"/,
      );
    return answer;
  };
  return {
    get: (path: string) => checked(anyone.get(path, all)),
    post: (path: string, body?: object, more = {}) =>
      checked(anyone.post(path, body, { ...all, ...more })),
    patch: (path: string, body: object) => checked(anyone.patch(path, body, all)),
    delete: (path: string) => checked(anyone.delete(path, all)),
  };
}

const codeOf = ({ status, body }: TestResponse) => [status, body.code];
const validate = async (key: string, permissions?: string) =>
  (await test.client.post('/api-keys/auth', { key, ...(permissions && { permissions }) })).status;
const adminKey = async (fields: object) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...fields })).body;

const PLAIN = { held: 0, overdrawn: 0, refill: null, nextRefillAt: null, nextExpiry: null };

describe('a customer in the portal', () => {
  it('creates, uses, renames, rotates and revokes a key, and sees its usage', async () => {
    const me = customer(await open('acme'));
    const created = await me.post('/portal/api-keys', { name: 'Production' });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^key_/),
        name: 'Production',
        key: expect.stringMatching(/^live_[0-9A-Za-z]{49}$/),
        env: 'live',
        isActive: true,
        startsAt: null,
        expiresAt: null,
        createdAt: '2030-01-01T00:00:00.000Z',
        updatedAt: '2030-01-01T00:00:00.000Z',
        lastUsedAt: null,
        permissions: [],
        limits: [],
        credits: null,
        rotatedFrom: null,
        rotatedTo: null,
      },
    ]);
    const { id, key } = created.body;
    expect(await validate(key)).toBe(200);
    await test.app.tally.flush();
    const listed = await me.get('/portal/api-keys');
    expect(listed.body).toEqual([
      {
        ...created.body,
        key: `${key.slice(0, 11)}*********`,
        lastUsedAt: '2030-01-01T00:00:00.000Z',
      },
    ]);
    const usage = await me.get('/portal/usage?interval=day&from=2030-01-01');
    const valid = usage.body.filter((row: { group: string }) => row.group === 'valid');
    expect(valid).toMatchObject([{ date: '2030-01-01T00:00:00.000Z', total: 1 }]);
    const byKey = await me.get(`/portal/usage?interval=day&groupBy=key&key=${id}`);
    expect(byKey.body.at(-1)).toMatchObject({ group: id, name: 'Production', valid: 1 });

    const renamed = await me.patch(`/portal/api-keys/${id}`, { name: MARKUP });
    expect([renamed.status, renamed.body.name]).toEqual([200, MARKUP]);
    const rotated = await me.post(`/portal/api-keys/${id}/rotate`, { graceSeconds: 60 });
    expect([rotated.status, rotated.body.rotatedFrom]).toEqual([201, id]);
    expect([await validate(key), await validate(rotated.body.key)]).toEqual([200, 200]);
    test.clock.now += 60_000;
    expect([await validate(key), await validate(rotated.body.key)]).toEqual([404, 200]);
    const revoked = await me.delete(`/portal/api-keys/${rotated.body.id}`);
    expect([revoked.status, revoked.body]).toEqual([200, true]);
    expect(await validate(rotated.body.key)).toBe(404);
  });

  it('does not see keys, usage or limits of other customers', async () => {
    const theirs = (await test.client.get(`/api-keys?customAccountId=${CANARY}-id&limit=1`))
      .body[0];
    const ofNobody = await adminKey({});
    const ofOtherProject = await adminKey({
      projectId: (await test.client.post('/projects', { name: 'Other' })).body.id,
      customAccountId: 'acme',
    });
    const me = customer(await open('acme'));
    for (const { id } of [theirs, ofNobody, ofOtherProject]) {
      const before = (await test.client.get(`/api-keys/${id}`)).body;
      expect(codeOf(await me.patch(`/portal/api-keys/${id}`, { name: 'Mine' }))).toEqual([
        404,
        'key_not_found',
      ]);
      expect(codeOf(await me.post(`/portal/api-keys/${id}/rotate`))).toEqual([
        404,
        'key_not_found',
      ]);
      expect(codeOf(await me.delete(`/portal/api-keys/${id}`))).toEqual([404, 'key_not_found']);
      expect(codeOf(await me.get(`/portal/usage?interval=day&key=${id}`))).toEqual([
        404,
        'key_not_found',
      ]);
      expect((await test.client.get(`/api-keys/${id}`)).body).toEqual(before);
    }
    const value = (await adminKey({ customAccountId: 'acme' })).key;
    expect(codeOf(await me.delete(`/portal/api-keys/${value}`))).toEqual([404, 'key_not_found']);
    const { body } = await me.get('/portal/api-keys?limit=1000');
    const ids = body.map(({ id }: { id: string }) => id);
    for (const { id } of [theirs, ofNobody, ofOtherProject]) expect(ids).not.toContain(id);
    await me.get('/portal/usage?interval=day&groupBy=key');
    await me.get('/portal/limits');
    expect((await me.get('/portal/session')).body.customAccountId).toBe('acme');
  });

  it('cannot set fields that only the account may set', async () => {
    const me = customer(await open('acme'));
    const forbidden = [
      'customAccountId',
      'projectId',
      'rateLimitConfigs',
      'credits',
      'key',
      'tags',
    ];
    for (const field of [...forbidden, 'customMetaData', 'planId', 'limits', 'allowedIPs']) {
      const answer = await me.post('/portal/api-keys', { name: 'Key', [field]: 'x' });
      expect(codeOf(answer)).toEqual([400, 'invalid_body']);
      expect(answer.body.message).toContain(field);
    }
    const renamed = await me.patch('/portal/api-keys/key_x', { name: 'Key', expiry: null });
    expect(codeOf(renamed)).toEqual([400, 'invalid_body']);
    const expired = await me.post('/portal/api-keys', { name: 'Key', expiry: '2029-01-01' });
    expect(codeOf(expired)).toEqual([400, 'invalid_body']);
  });

  it('gets the first response again for the same Idempotency-Key, without internals', async () => {
    const session = await open('repeats');
    const me = customer(session);
    const once = { 'idempotency-key': 'one' };
    const first = await me.post('/portal/api-keys', { name: 'Once' }, once);
    const again = await me.post('/portal/api-keys', { name: 'Once' }, once);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const rotate = `/portal/api-keys/${first.body.id}/rotate`;
    const rotated = await me.post(rotate, {}, once);
    expect((await me.post(rotate, {}, once)).text).toBe(rotated.text);
    const other = await me.post('/portal/api-keys', { name: 'Twice' }, once);
    expect(codeOf(other)).toEqual([422, 'idempotency_mismatch']);
    expect((await me.get('/portal/api-keys')).body).toHaveLength(2);
  });

  it('has at most 100 active keys, even if two sessions both create the last key', async () => {
    const [me, metoo] = [customer(await open('many')), customer(await open('many'))];
    const keys = Array.from({ length: 99 }, (_, n) => ({
      name: `Key ${n}`,
      key: `many-keys-${n}`,
      customAccountId: 'many',
    }));
    await test.client.post('/api-keys/import', { projectId: test.projectId, keys });
    const last = await Promise.all(
      [me, metoo, me, metoo].map((each) => each.post('/portal/api-keys', { name: 'Last' })),
    );
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const made = last.find(({ status }) => status === 201)!.body;
    const refused = await me.post('/portal/api-keys', { name: 'More' });
    expect(codeOf(refused)).toEqual([409, 'too_many_keys']);
    const rotate = `/portal/api-keys/${made.id}/rotate`;
    expect(codeOf(await me.post(rotate, { graceSeconds: 60 }))).toEqual([409, 'too_many_keys']);
    const rotated = await me.post(rotate);
    expect(rotated.status).toBe(201);
    await me.delete(`/portal/api-keys/${rotated.body.id}`);
    expect((await me.post('/portal/api-keys', { name: 'Room' })).status).toBe(201);
  });
});

describe('permissions of a key in the portal', () => {
  it('are inherited and cannot be chosen if the session has no permissions', async () => {
    const { projectId } = test;
    await test.client.post('/customers', {
      ...{ customAccountId: 'inherits', projectId, permissions: ['documents.read'] },
    });
    const me = customer(await open('inherits'));
    const { body } = await me.post('/portal/api-keys', { name: 'Key' });
    expect(body.permissions).toEqual(['documents.read']);
    expect((await test.client.get(`/api-keys/${body.id}`)).body.permissions).toEqual([]);
    for (const permissions of [['*'], ['documents.read']]) {
      const answer = await me.post('/portal/api-keys', { name: 'Key', permissions });
      expect(codeOf(answer)).toEqual([403, 'grant_exceeds_own']);
    }
  });

  it('are those of the session or a part of them, never more', async () => {
    const session = await open('capped', { permissions: ['documents.*', 'users.read'] });
    const me = customer(session);
    const own = async (id: string) => (await test.client.get(`/api-keys/${id}`)).body.permissions;
    const whole = await me.post('/portal/api-keys', { name: 'Whole' });
    expect(await own(whole.body.id)).toEqual(['documents.*', 'users.read']);
    for (const permissions of [
      ['documents.read'],
      ['documents.*'],
      ['documents.a.*', 'users.read'],
    ]) {
      const answer = await me.post('/portal/api-keys', { name: 'Part', permissions });
      expect([answer.status, answer.body.permissions]).toEqual([201, permissions]);
      expect(await own(answer.body.id)).toEqual(permissions);
    }
    for (const permissions of [['*'], ['users.*'], ['documents:read'], ['documents.read', 'x']]) {
      const answer = await me.post('/portal/api-keys', { name: 'More', permissions });
      expect(codeOf(answer)).toEqual([403, 'grant_exceeds_own']);
    }
    for (const permissions of [[], [''], ['documents.r*'], 'documents.read'])
      expect(codeOf(await me.post('/portal/api-keys', { name: 'Bad', permissions }))).toEqual([
        400,
        'invalid_body',
      ]);
    expect(await validate(whole.body.key, 'documents.write')).toBe(200);
    expect(await validate(whole.body.key, 'users.write')).toBe(403);
  });

  it('must not exceed those of the session when the key is rotated', async () => {
    const me = customer(await open('capped', { permissions: ['documents.read'] }));
    const strong = await adminKey({ customAccountId: 'capped', permissions: ['*'] });
    const weak = await adminKey({ customAccountId: 'capped', permissions: ['documents.read'] });
    const refused = await me.post(`/portal/api-keys/${strong.id}/rotate`);
    expect(codeOf(refused)).toEqual([403, 'grant_exceeds_own']);
    expect(await validate(strong.key)).toBe(200);
    expect((await me.post(`/portal/api-keys/${weak.id}/rotate`)).status).toBe(201);
  });
});

describe('limits and credits', () => {
  it('show what is left, for each key and for the customer', async () => {
    const { client, projectId } = test;
    const limits = [
      { name: 'day', rateLimit: 10, rateLimitTtl: 86_400, per: 'customer' },
      { name: 'minute', rateLimit: 5, rateLimitTtl: 60 },
      { name: 'trial', rateLimit: 1, rateLimitTtl: 60, mode: 'shadow' },
    ];
    const credits = { remaining: 7, refill: null };
    await client.post('/customers', { customAccountId: 'limited', projectId, limits, credits });
    const me = customer(await open('limited'));
    const shared = { name: 'day', rateLimit: 10, rateLimitTtl: 86_400, keyId: null };
    expect((await me.get('/portal/limits')).body).toEqual({
      credits: { ...PLAIN, remaining: 7 },
      limits: [{ ...shared, remaining: 10, resetAt: null }],
    });
    const { body } = await me.post('/portal/api-keys', { name: 'Key' });
    expect(body.limits).toEqual([
      { name: 'day', rateLimit: 10, rateLimitTtl: 86_400, isShared: true },
      { name: 'minute', rateLimit: 5, rateLimitTtl: 60, isShared: false },
    ]);
    const shown = { ...PLAIN, remaining: 7 };
    expect(body.credits).toEqual({ ...shown, isShared: true });
    const own = await adminKey({ customAccountId: 'limited', credits });
    expect((await me.get('/portal/api-keys')).body).toMatchObject([
      { id: own.id, credits: { ...shown, isShared: false } },
      { id: body.id, credits: { ...shown, isShared: true } },
    ]);
    await client.delete(`/api-keys/${own.id}?permanent=true`);
    expect(await validate(body.key)).toBe(200);
    const left = (await me.get('/portal/limits')).body;
    expect(left.credits.remaining).toBe(6);
    expect(left.limits).toEqual([
      { ...shared, remaining: 9, resetAt: new Date(test.clock.now + 86_400_000).toISOString() },
      {
        ...{ name: 'minute', rateLimit: 5, rateLimitTtl: 60, keyId: body.id, remaining: 4 },
        resetAt: new Date(test.clock.now + 60_000).toISOString(),
      },
    ]);
    // Reading takes nothing.
    expect((await me.get('/portal/limits')).body).toEqual(left);
    expect((await me.get('/portal/api-keys')).body[0].credits.remaining).toBe(6);
  });

  it('are left out of the keys of a session that does not allow `usage:read`', async () => {
    const { client, projectId } = test;
    const limits = [{ name: 'day', rateLimit: 10, rateLimitTtl: 86_400 }];
    const credits = { remaining: 7 };
    await client.post('/customers', { customAccountId: 'unseen', projectId, limits, credits });
    await adminKey({ customAccountId: 'unseen', credits: { remaining: 5 } });
    const allow = ['keys:read', 'keys:create', 'keys:rotate'];
    const me = customer(await open('unseen', { allow }));
    const created = await me.post('/portal/api-keys', { name: 'Key' });
    const path = `/portal/api-keys/${created.body.id}`;
    const renamed = await me.patch(path, { name: 'Renamed' });
    const rotated = await me.post(`${path}/rotate`, { graceSeconds: 60 });
    const listed = await me.get('/portal/api-keys');
    expect(listed.body).toHaveLength(3);
    for (const key of [created.body, renamed.body, rotated.body, ...listed.body])
      expect(key).toMatchObject({ id: expect.any(String), limits: null, credits: null });
  });

  it('show the limit of a key that has only `rateLimitConfigs`', async () => {
    const rateLimitConfigs = { rateLimit: 3, rateLimitTtl: 60 };
    const { key, id } = await adminKey({ customAccountId: 'single', rateLimitConfigs });
    await validate(key);
    const { body } = await customer(await open('single')).get('/portal/limits');
    expect(body.limits).toMatchObject([{ name: 'default', keyId: id, remaining: 2 }]);
  });

  it('show the shared counter for both keys during the grace period of a rotation', async () => {
    const rateLimitConfigs = { rateLimit: 3, rateLimitTtl: 60 };
    const { key, id } = await adminKey({ customAccountId: 'rotating', rateLimitConfigs });
    await validate(key);
    const me = customer(await open('rotating'));
    const rotated = await me.post(`/portal/api-keys/${id}/rotate`, { graceSeconds: 60 });
    const { body } = await me.get('/portal/limits');
    expect(body.limits).toMatchObject([
      { name: 'default', keyId: rotated.body.id, remaining: 2 },
      { name: 'default', keyId: id, remaining: 2 },
    ]);
  });
});

describe('a portal session', () => {
  it('ends at once when it is deleted, expires, or its project is deactivated', async () => {
    const { client } = test;
    const { body: project } = await client.post('/projects', { name: 'Closing' });
    const ended = await open('acme');
    const expired = await open('acme', { expiresInSeconds: 60 });
    const closed = await open('acme', { projectId: project.id });
    const statuses = () =>
      Promise.all(
        [ended, expired, closed].map(
          async (each) => codeOf(await customer(each).get('/portal/api-keys'))[0],
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await client.delete(`/portal-sessions/${ended.id}`)).body).toBe(true);
    expect(await statuses()).toEqual([401, 200, 200]);
    await client.delete(`/projects/${project.id}`);
    expect(await statuses()).toEqual([401, 200, 401]);
    test.clock.now += 60_000;
    expect(await statuses()).toEqual([401, 401, 401]);
    await client.patch(`/projects/${project.id}/reactivate`);
    expect(await statuses()).toEqual([401, 401, 401]);
    for (const { id } of [ended, expired, closed])
      expect(codeOf(await client.delete(`/portal-sessions/${id}`))).toEqual([
        404,
        'portal_session_not_found',
      ]);
  });

  it('allows by default what its creator may do, and never more', async () => {
    const { client } = test;
    const withScopes = async (...scopes: string[]) =>
      client.as((await client.post('/access-keys', { name: 'Narrow', scopes })).body.key);
    const body = { customAccountId: 'acme', projectId: test.projectId };
    const reader = await withScopes('portal:write', 'keys:read');
    expect((await reader.post('/portal-sessions', body)).body.allow).toEqual(['keys:read']);
    for (const allow of [['keys:create'], ['keys:read', 'usage:read']]) {
      const answer = await reader.post('/portal-sessions', { ...body, allow });
      expect(codeOf(answer)).toEqual([403, 'grant_exceeds_own']);
    }
    const nothing = await withScopes('portal:write');
    expect(codeOf(await nothing.post('/portal-sessions', body))).toEqual([
      403,
      'grant_exceeds_own',
    ]);
    const writer = await withScopes('portal:write', 'keys:write');
    expect((await writer.post('/portal-sessions', body)).body.allow).toEqual([
      'keys:create',
      'keys:rotate',
      'keys:revoke',
    ]);
  });

  it('is not created with invalid fields', async () => {
    const body = { customAccountId: 'acme', projectId: test.projectId };
    const wrong = [
      { allow: [] },
      { allow: ['keys:write'] },
      { permissions: [] },
      { permissions: ['a b'] },
      { expiresInSeconds: 59 },
      { expiresInSeconds: 86_401 },
      { customAccountId: 'null' },
      { customAccountId: '' },
      { returnUrl: 'https://app.example.com/' },
      { returnUrl: 'javascript:alert(1)' },
      { unknown: 1 },
    ];
    for (const fields of wrong) {
      const answer = await test.client.post('/portal-sessions', { ...body, ...fields });
      expect(codeOf(answer), JSON.stringify(fields)).toEqual([400, 'invalid_body']);
    }
  });

  it('is limited in its number of requests', async () => {
    const me = customer(await open('busy'));
    for (let n = 0; n < 300; n++) await me.get('/portal/session');
    const refused = await me.get('/portal/session');
    expect(codeOf(refused)).toEqual([429, 'management_rate_limited']);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect((await customer(await open('busy')).get('/portal/session')).status).toBe(200);
  });

  it('is listed for its account, without its token, until it ends', async () => {
    const { id, token, url } = await open('listed', { permissions: ['a'] });
    expect(url).toBe(`https://keyward.example/portal/${test.projectId}/#${token}`);
    const { body, text } = await test.client.get('/portal-sessions?customAccountId=listed');
    expect(body).toMatchObject([{ id, customAccountId: 'listed', permissions: ['a'] }]);
    expect((await test.client.get(`/portal-sessions/${id}`)).body).toEqual(body[0]);
    expect(text).not.toContain('portal_');
    await test.client.delete(`/portal-sessions/${id}`);
    expect((await test.client.get('/portal-sessions?customAccountId=listed')).body).toEqual([]);
  });
});

describe('the traces of a portal session', () => {
  it('name the portal and the customer in audit rows and events', async () => {
    const session = await open('traced');
    const me = customer(session);
    const { body } = await me.post('/portal/api-keys', { name: 'Traced' });
    await me.patch(`/portal/api-keys/${body.id}`, { name: 'Renamed' });
    await me.delete(`/portal/api-keys/${body.id}`);
    const { body: rows } = await test.client.get('/audit-logs?actor=traced');
    expect(
      rows.map(({ action, actorType, actorId }: Record<string, string>) => [
        action,
        actorType,
        actorId,
      ]),
    ).toEqual([
      ['api-key.deleted', 'portal', 'traced'],
      ['api-key.updated', 'portal', 'traced'],
      ['api-key.created', 'portal', 'traced'],
    ]);
    const { body: sessions } = await test.client.get(`/audit-logs?target=${session.id}`);
    expect(sessions).toMatchObject([
      { action: 'portal-session.created', actorType: 'access-key', targetType: 'portal-session' },
    ]);
    const events = await test.storage.read.selectFrom('events').selectAll().execute();
    const actors = events.filter(({ data }) => data.includes(body.id)).map(({ actor }) => actor);
    const actor = JSON.stringify({ type: 'portal', customAccountId: 'traced' });
    expect(actors).toEqual([actor, actor, actor]);
  });

  it('contain no token, neither in the log nor in the database', async () => {
    const { token } = await open('logged');
    const me = customer({ token });
    await me.get('/portal/session');
    await me.get(`/portal/session?token=${token}`);
    await test.client.as(null).get(`/portal/${token}`);
    await test.client.as(null).get(`/portal/api-keys/${token}`);
    const secret = token.slice('portal_'.length, -6);
    const stored = (await rawDatabase(test)).toString('latin1') + test.log.join('\n');
    expect(stored).toContain('logged');
    expect(stored.includes(secret)).toBe(false);
  });
});
