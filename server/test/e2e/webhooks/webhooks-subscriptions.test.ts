import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decryptHeaders, signingSecrets } from '../../../src/features/webhooks/encryption.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';
import { rawDatabase } from '../raw-database.ts';

const URL_GIVEN = 'https://example.com/hook?tenant=acme';
const TOPICS = [
  'api-key.created',
  'api-key.deleted',
  'api-key.updated',
  'api-key.firstUsed',
  'access-key.created',
  'access-key.updated',
  'access-key.deleted',
  'project.updated',
  'plan.updated',
  'customer.updated',
  'credits.changed',
  'api-key.leaked',
  'api-key.expiring',
  'api-key.expired',
  'limit.threshold',
  'credits.low',
  'credits.exhausted',
  'usage.period',
  'audit.appended',
];

const SETTINGS = ['url', 'httpMethod', 'customHeaders', 'topics', 'projectId'];
const SET_BY_FIRST = Object.fromEntries(
  SETTINGS.map((name) => [name, expect.stringMatching(/^ak_/)]),
);

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const webhookBody = (body: object = {}) => ({
  name: 'Hook',
  url: URL_GIVEN,
  topics: ['api-key.created'],
  ...body,
});
const post = (body: object = {}) => test.client.post('/webhooks', webhookBody(body));
const create = async (body: object = {}) => (await post(body)).body;
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const inProject = async (projectId: string) =>
  test.client.as((await test.client.post('/access-keys', { name: 'P', projectId })).body.key);
const newProject = async () => (await test.client.post('/projects', { name: 'Other' })).body.id;
const audits = (id: string) =>
  test.storage.read
    .selectFrom('audit_log')
    .selectAll()
    .where('target_id', '=', id)
    .orderBy('seq')
    .execute();

describe('a webhook', () => {
  it('is created with the six fields of theauthapi, and shows its secret once', async () => {
    const { status, body } = await post({
      projectId: test.projectId,
      httpMethod: 'POST',
      status: 'live',
    });
    expect(status).toBe(201);
    const { secret, ...record } = body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^whk_/),
      accountId: test.accountId,
      projectId: test.projectId,
      name: 'Hook',
      url: URL_GIVEN,
      topics: ['api-key.created'],
      httpMethod: 'POST',
      format: 'standard',
      status: 'live',
      disabledReason: null,
      customHeaders: {},
      setBy: SET_BY_FIRST,
      createdAt: '2030-01-01T00:00:00.000Z',
      updatedAt: '2030-01-01T00:00:00.000Z',
    });
    const read = await test.client.get(`/webhooks/${body.id}`);
    expect(read.body).toEqual(record);
    const listed = await test.client.get('/webhooks');
    expect(listed.body).toContainEqual(record);
    expect(listed.text + read.text).not.toContain('secret');
  });

  it('belongs to all projects if an account-level key names none', async () => {
    expect((await create()).projectId).toBeNull();
    expect((await create({ projectId: null })).projectId).toBeNull();
  });

  it('keeps its secret and header values out of the database, the audit log and the log', async () => {
    const planted = 'Bearer planted-credential-7f3a9b';
    const made = await create({ customHeaders: { Authorization: planted } });
    expect(made.customHeaders).toEqual({ Authorization: 'Bear*********' });
    await test.client.patch(`/webhooks/${made.id}`, { name: 'Renamed' });
    const { body: rotated } = await test.client.post(`/webhooks/${made.id}/rotate-secret`);
    const raw = (await rawDatabase(test)).toString('latin1');
    for (const secret of [planted, made.secret, rotated.secret]) {
      expect(raw.includes(secret)).toBe(false);
      expect(test.log.join('')).not.toContain(secret);
    }
    expect(raw.includes('Renamed')).toBe(true);
    const [first] = await audits(made.id);
    expect(JSON.parse(first!.after!).customHeaders).toEqual({ Authorization: 'Bear*********' });
  });

  it('shows header values masked in every response', async () => {
    const planted = 'Bearer planted-credential-51c0de';
    const headers = { 'idempotency-key': 'masked-headers' };
    const body = webhookBody({ customHeaders: { Authorization: planted, 'x-tenant': 'acme' } });
    const made = await test.client.post('/webhooks', body, headers);
    const path = `/webhooks/${made.body.id}`;
    const responses = [
      made,
      await test.client.post('/webhooks', body, headers),
      await test.client.get(path),
      await test.client.get('/webhooks'),
      await test.client.patch(path, { name: 'Renamed' }),
      await test.client.post(`${path}/rotate-secret`),
      await test.client.get('/audit-logs'),
    ];
    for (const { status, text } of responses) {
      expect(status).toBeLessThan(300);
      expect(text).not.toContain(planted);
      expect(text).toContain('Bear*********');
      expect(text).toContain('a*********');
    }
  });

  it('keeps header values whose masks are sent back, and accepts new ones', async () => {
    const { id, customHeaders } = await create({
      customHeaders: { Authorization: 'Bearer first-credential', 'x-tenant': 'acme' },
    });
    const stored = async () => {
      const row = await test.storage.point
        .selectFrom('webhooks')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return decryptHeaders(test.secrets, row);
    };
    const before = await stored();
    await test.client.patch(`/webhooks/${id}`, { customHeaders });
    expect(await stored()).toEqual(before);
    expect(await audits(id)).toHaveLength(1);
    await test.client.patch(`/webhooks/${id}`, {
      customHeaders: { ...customHeaders, 'x-tenant': 'other', 'x-new': '1' },
    });
    expect(await stored()).toEqual({ ...before, 'x-tenant': 'other', 'x-new': '1' });
    const mask = customHeaders.Authorization;
    for (const response of [
      await test.client.patch(`/webhooks/${id}`, { customHeaders: { 'x-renamed': mask } }),
      await post({ customHeaders: { Authorization: mask } }),
    ]) {
      expect(statusAndCode(response)).toEqual([400, 'invalid_body']);
      expect(response.body.message).toContain('masked value');
    }
    expect(await stored()).toMatchObject({ Authorization: 'Bearer first-credential' });
  });

  it('accepts only the caller’s accountId', async () => {
    expect((await post({ accountId: test.accountId })).status).toBe(201);
    const other = await createOtherAccount(test);
    const foreign = await post({ accountId: other.accountId });
    expect(statusAndCode(foreign)).toEqual([404, 'account_not_found']);
    expect(statusAndCode(await post({ accountId: 'acc_unknown' }))).toEqual([
      404,
      'account_not_found',
    ]);
  });

  it('is created once for one Idempotency-Key, whose stored response is erased with it', async () => {
    const headers = { 'idempotency-key': 'hook-once' };
    const first = await test.client.post('/webhooks', webhookBody(), headers);
    const again = await test.client.post('/webhooks', webhookBody(), headers);
    expect(again.body).toEqual(first.body);
    await test.client.delete(`/webhooks/${first.body.id}`);
    const later = await test.client.post('/webhooks', webhookBody(), headers);
    expect(later.body.id).not.toBe(first.body.id);
  });

  it('lists all topics', async () => {
    expect((await test.client.get('/webhooks/topics')).body).toEqual(TOPICS);
    expect((await create({ topics: TOPICS })).topics).toEqual(TOPICS);
  });
});

describe('invalid input is a 400 with the reason', () => {
  it.each<[string, object, string]>([
    ['no topics', { topics: [] }, 'topics must have at least 1 item.'],
    ['an unknown topic', { topics: ['key.made'] }, 'topics.0 must be one of api-key.created'],
    [
      'a topic twice',
      { topics: ['project.updated', 'project.updated'] },
      'topics has the same item twice.',
    ],
    ['no name', { name: '' }, 'name must have at least 1 character.'],
    ['an invalid URL', { url: 'example.com' }, 'url must be of the form https://host/path.'],
    ['another scheme', { url: 'ftp://example.com' }, 'url must be of the form https://host/path.'],
    ['plain http', { url: 'http://example.com' }, 'url must start with https://.'],
    [
      'a loopback address',
      { url: 'https://127.0.0.1/' },
      'url must have a public address; this is a loopback address. To reach your own machine or network in development, start the server with KEYWARD_WEBHOOK_ALLOW',
    ],
    ['a local name with plain http', { url: 'http://localhost:3000/' }, 'KEYWARD_WEBHOOK_ALLOW'],
    ['a private address', { url: 'https://10.1.2.3/' }, 'KEYWARD_WEBHOOK_ALLOW=127.0.0.0/8'],
    ['a local name', { url: 'https://localhost/' }, 'url must name a public host.'],
    ['a password', { url: 'https://a:b@example.com/' }, 'cannot carry a user name or password.'],
    ['another method', { httpMethod: 'GET' }, 'httpMethod must be one of POST, PUT.'],
    ['a reserved status', { status: 'disabled' }, 'status must be one of live, paused.'],
    ['a reserved header', { customHeaders: { 'Webhook-Id': 'x' } }, 'cannot set Webhook-Id'],
    ['a header with a line break', { customHeaders: { a: 'x\r\ny: z' } }, 'not printable ASCII'],
    [
      'too many headers',
      { customHeaders: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, '1'])) },
      'customHeaders can hold at most 20 headers.',
    ],
    ['an unknown field', { secret: 'mine' }, 'The body has the unknown field "secret".'],
  ])('%s', async (_, wrong, message) => {
    const { id } = await create();
    for (const response of [await post(wrong), await test.client.patch(`/webhooks/${id}`, wrong)]) {
      expect(statusAndCode(response)).toEqual([400, 'invalid_body']);
      expect(response.body.message).toContain(message);
    }
  });

  it('an empty update', async () => {
    const { id } = await create();
    const response = await test.client.patch(`/webhooks/${id}`, {});
    expect(response.body.message).toBe('The body must contain at least one field to change.');
  });
});

describe('an update', () => {
  it('changes only the given fields, and nothing if they are equal', async () => {
    const { secret: _, ...made } = await create({ customHeaders: { 'x-a': '1' } });
    test.clock.now += 1000;
    const same = await test.client.patch(`/webhooks/${made.id}`, {
      name: made.name,
      topics: made.topics,
      customHeaders: { 'x-a': '1' },
      status: 'live',
    });
    expect(same.body).toEqual(made);
    expect(await audits(made.id)).toHaveLength(1);
    const change = { url: 'https://example.org/', httpMethod: 'PUT', customHeaders: {} };
    const changed = await test.client.patch(`/webhooks/${made.id}`, change);
    const updatedAt = new Date(test.clock.now).toISOString();
    expect(changed.body).toEqual({ ...made, ...change, updatedAt });
    expect((await audits(made.id)).map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.updated',
    ]);
  });

  it('enables a disabled webhook and clears its failures', async () => {
    const { id } = await create();
    await test.storage.transaction((tx) =>
      tx
        .updateTable('webhooks')
        .set({ status: 'disabled', disabled_reason: 'it failed', failing_since: 1 })
        .where('id', '=', id)
        .execute(),
    );
    const seen = await test.client.get(`/webhooks/${id}`);
    expect(seen.body).toMatchObject({ status: 'disabled', disabledReason: 'it failed' });
    const { body } = await test.client.patch(`/webhooks/${id}`, { status: 'live' });
    expect(body).toMatchObject({ status: 'live', disabledReason: null });
    const row = await test.storage.point
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.failing_since).toBeNull();
  });

  it('to an unknown or inactive project is rejected', async () => {
    const { id } = await create();
    const inactive = await newProject();
    await test.client.delete(`/projects/${inactive}`);
    const move = (projectId: string) => test.client.patch(`/webhooks/${id}`, { projectId });
    expect(statusAndCode(await move('prj_nothing'))).toEqual([404, 'project_not_found']);
    expect(statusAndCode(await move(inactive))).toEqual([409, 'project_inactive']);
    expect(statusAndCode(await post({ projectId: inactive }))).toEqual([409, 'project_inactive']);
  });
});

describe('a project-level access key', () => {
  it('creates, sees and changes webhooks of its project only', async () => {
    const projectId = await newProject();
    const inside = await inProject(projectId);
    const ofAccount = await create();
    const ofOther = await create({ projectId: test.projectId });
    const own = (await inside.post('/webhooks', webhookBody())).body;
    expect(own.projectId).toBe(projectId);
    const { body } = await inside.get('/webhooks');
    expect(body.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    for (const { id } of [ofAccount, ofOther])
      expect(statusAndCode(await inside.get(`/webhooks/${id}`))).toEqual([
        404,
        'webhook_not_found',
      ]);
    const toAccount = { projectId: null };
    const toOther = { projectId: test.projectId };
    for (const [wanted, code] of [
      [toAccount, 'level_too_low'],
      [toOther, 'project_not_found'],
    ] as const) {
      expect((await inside.post('/webhooks', webhookBody(wanted))).body.code).toBe(code);
      expect((await inside.patch(`/webhooks/${own.id}`, wanted)).body.code).toBe(code);
    }
  });
});

describe('topics whose events contain a value', () => {
  const withScopes = async (...scopes: string[]) =>
    test.client.as((await test.client.post('/access-keys', { name: 'Scoped', scopes })).body.key);
  const refusal = (scope: string) => ({
    status: 403,
    body: {
      code: 'scope_missing',
      message: `This credential lacks the scope ${scope}.`,
    },
  });

  it.each([
    ['api-key.created', 'keys:write', 'access-keys:write'],
    ['access-key.created', 'access-keys:write', 'keys:write'],
  ])('a subscription to %s requires the scope %s', async (topic, scope, another) => {
    const without = await withScopes('webhooks:read', 'webhooks:write', another);
    const holding = await withScopes('webhooks:write', scope);
    const topics = ['project.updated', topic];
    const before = (await without.get('/webhooks')).body.length;
    expect(await without.post('/webhooks', webhookBody({ topics }))).toMatchObject(refusal(scope));
    expect((await without.get('/webhooks')).body).toHaveLength(before);
    expect((await holding.post('/webhooks', webhookBody({ topics }))).status).toBe(201);
    const quiet = await without.post('/webhooks', webhookBody({ topics: ['project.updated'] }));
    expect(quiet.status).toBe(201);
    const path = `/webhooks/${quiet.body.id}`;
    expect(await without.patch(path, { topics })).toMatchObject(refusal(scope));
    expect((await without.patch(path, { url: 'https://example.org/' })).status).toBe(200);
    expect((await holding.patch(path, { topics })).status).toBe(200);
  });

  it('can be redirected only with the scope; renaming and pausing do not need it', async () => {
    const without = await withScopes('webhooks:read', 'webhooks:write');
    const { id } = await create({ projectId: test.projectId });
    const seen = (await test.client.get(`/webhooks/${id}`)).body;
    for (const change of [
      { url: 'https://example.org/' },
      // Waiting deliveries of the old topic would go to the new URL.
      { url: 'https://example.org/', topics: ['project.updated'] },
      { topics: ['api-key.created', 'project.updated'] },
      { projectId: null },
    ])
      expect(await without.patch(`/webhooks/${id}`, change)).toMatchObject(refusal('keys:write'));
    expect((await test.client.get(`/webhooks/${id}`)).body).toEqual(seen);
    const harmless = { name: 'Renamed', status: 'paused', url: seen.url };
    expect((await without.patch(`/webhooks/${id}`, harmless)).status).toBe(200);
    const on = await without.patch(`/webhooks/${id}`, { status: 'live' });
    expect(on).toMatchObject(refusal('keys:write'));
    expect((await test.client.patch(`/webhooks/${id}`, { status: 'live' })).status).toBe(200);
  });
});

describe('the list', () => {
  it('is filtered by project and topic, and paged', async () => {
    const projectId = await newProject();
    const a = await create({ projectId, topics: ['project.updated'] });
    const b = await create({ projectId, topics: ['api-key.updated', 'project.updated'] });
    const c = await create({ projectId });
    const ids = async (query: string) =>
      (await test.client.get(`/webhooks?${query}`)).body.map(({ id }: { id: string }) => id);
    expect(await ids(`projectId=${projectId}`)).toEqual([c.id, b.id, a.id]);
    expect(await ids(`projectId=${projectId}&topic=project.updated`)).toEqual([b.id, a.id]);
    expect(await ids('projectId=null')).not.toContain(a.id);
    const page = await test.client.get(`/webhooks?projectId=${projectId}&limit=2`);
    const next = /<(.*)>; rel="next"/.exec(page.headers.get('link')!)![1]!;
    expect((await test.client.get(next)).body).toMatchObject([{ id: a.id }]);
    const wrong = await test.client.get('/webhooks?topic=all');
    expect(statusAndCode(wrong)).toEqual([400, 'invalid_query']);
  });
});

describe('rotating the secret', () => {
  it('shows the new secret, and keeps the old one for 24 hours', async () => {
    const made = await create();
    const { status, body } = await test.client.post(`/webhooks/${made.id}/rotate-secret`);
    expect(status).toBe(200);
    expect(body.secret).toMatch(/^whsec_/);
    expect(body.secret).not.toBe(made.secret);
    const row = await test.storage.point
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow();
    expect(row.previous_secret_until).toBe(test.clock.now + 86_400_000);
  });

  it('again is rejected while the old one is valid, and both keep signing', async () => {
    const made = await create();
    const path = `/webhooks/${made.id}/rotate-secret`;
    const secretsNow = async () => {
      const row = await test.storage.point
        .selectFrom('webhooks')
        .selectAll()
        .where('id', '=', made.id)
        .executeTakeFirstOrThrow();
      return signingSecrets(test.secrets, row, test.clock.now);
    };
    const { body: first } = await test.client.post(path);
    const until = new Date(test.clock.now + 86_400_000).toISOString();
    test.clock.now += 86_400_000 - 1;
    const early = await test.client.post(path);
    expect(statusAndCode(early)).toEqual([409, 'secret_rotating']);
    expect(early.body.message).toContain(until);
    expect(early.text).not.toContain('whsec_');
    expect(await secretsNow()).toEqual([first.secret, made.secret]);
    test.clock.now += 1;
    const { status, body: second } = await test.client.post(path);
    expect(status).toBe(200);
    expect(await secretsNow()).toEqual([second.secret, first.secret]);
  });
});

describe('deleting', () => {
  it('hides the webhook, erases its secrets, and is idempotent', async () => {
    const { id } = await create({ customHeaders: { 'x-a': '1' } });
    await test.client.post(`/webhooks/${id}/rotate-secret`);
    for (let time = 0; time < 2; time++) {
      const response = await test.client.delete(`/webhooks/${id}`);
      expect([response.status, response.body]).toEqual([200, true]);
    }
    expect((await audits(id)).filter(({ action }) => action === 'webhook.deleted')).toHaveLength(1);
    expect((await test.client.get('/webhooks')).text).not.toContain(id);
    const gone = [
      await test.client.get(`/webhooks/${id}`),
      await test.client.patch(`/webhooks/${id}`, { name: 'Back' }),
      await test.client.post(`/webhooks/${id}/rotate-secret`),
      await test.client.get(`/webhooks/${id}/deliveries`),
      await test.client.post(`/webhooks/${id}/replay`, { since: '2029-01-01' }),
    ];
    for (const response of gone)
      expect(statusAndCode(response)).toEqual([404, 'webhook_not_found']);
    const row = await test.storage.point
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ secret: '', previous_secret: null, custom_headers: '' });
  });
});
