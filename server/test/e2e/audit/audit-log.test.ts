import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestClient } from '../../harness/test-client.ts';
import { createOtherAccount, type OtherAccount, operatorHeaders } from '../other-account.ts';

type Row = Record<string, unknown> & { id: string; action: string };

let test: TestApp;
let theirs: OtherAccount;
let second: { id: string; client: TestClient; projectId: string };
const times: Record<string, string> = {};

const iso = (ms: number) => new Date(ms).toISOString();

beforeAll(async () => {
  test = await startTestApp();
  const { client, clock } = test;
  theirs = await createOtherAccount(test);
  await theirs.client.post('/api-keys', { name: 'Their key' });
  clock.now += 3_600_000;
  times.middle = iso(clock.now);
  const project = (await client.post('/projects', { name: 'Second', env: 'test' })).body;
  const scopes = ['keys:write', 'audit:read'];
  const key = (await client.post('/access-keys', { name: 'S', projectId: project.id, scopes }))
    .body;
  second = { id: key.id, client: client.as(key.key), projectId: project.id };
  clock.now += 3_600_000;
  times.late = iso(clock.now);
  for (let n = 0; n < 5; n++) await second.client.post('/api-keys', { name: `Key ${n}` });
  await client.delete(`/projects/${test.projectId}`);
  await test.app.sealer.seal();
  clock.now += 1;
  await client.patch(`/projects/${test.projectId}/reactivate`);
});
afterAll(() => test.close());

async function list(query = '', client = test.client): Promise<Row[]> {
  const response = await client.get(`/audit-logs${query}`);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const actions = async (query: string, client?: TestClient) =>
  (await list(query, client)).map(({ action }) => action);

const FIRST_BOOT = ['access-key.created', 'project.created', 'account.created'];
const KEYS = Array.from({ length: 5 }, () => 'api-key.created');

describe('the list', () => {
  it('contains all rows of the account, newest first, with the first boot', async () => {
    expect(await actions('')).toEqual([
      'project.reactivated',
      'project.deleted',
      ...KEYS,
      'access-key.created',
      'project.created',
      ...FIRST_BOOT,
    ]);
  });

  it('shows a row as it was written, and whether it is sealed', async () => {
    const [reactivated, deleted] = await list('?limit=2');
    const { body: project } = await test.client.get(`/projects/${test.projectId}`);
    const [firstKey] = (await test.client.get('/access-keys')).body.toReversed();
    expect(reactivated).toEqual({
      id: expect.stringMatching(/^aud_/),
      accountId: test.accountId,
      projectId: test.projectId,
      actorType: 'access-key',
      actorId: firstKey.id,
      action: 'project.reactivated',
      targetType: 'project',
      targetId: test.projectId,
      before: { ...project, isActive: false, updatedAt: times.late },
      after: project,
      requestId: expect.any(String),
      clientAddress: '127.0.0.1',
      userAgent: expect.any(String),
      createdAt: iso(test.clock.now),
      sealed: false,
    });
    expect(deleted).toMatchObject({ action: 'project.deleted', sealed: true });
  });

  it('shows the first boot as done by the service', async () => {
    const rows = (await list()).slice(-3);
    for (const row of rows)
      expect(row).toMatchObject({
        actorType: 'system',
        actorId: 'system',
        before: null,
        requestId: null,
        clientAddress: null,
        userAgent: null,
      });
    expect(JSON.stringify(rows)).not.toContain(test.accessKey);
  });

  it('shows the operator as the actor', async () => {
    const path = `/accounts/${theirs.accountId}`;
    const change = { name: 'Other' };
    const headers = operatorHeaders(test, 'PATCH', path, change);
    expect((await test.client.as(null).patch(path, change, headers)).status).toBe(200);
    const [row] = await list('?limit=1', theirs.client);
    expect(row).toMatchObject({
      action: 'account.updated',
      actorType: 'operator',
      actorId: 'operator',
    });
  });
});

describe('the filters', () => {
  it('select by actor', async () => {
    expect(await actions(`?actor=${second.id}`)).toEqual(KEYS);
    expect(await actions('?actor=system')).toEqual(FIRST_BOOT);
  });

  it('select by action, whole or up to its dot', async () => {
    expect(await actions('?action=api-key.created')).toEqual(KEYS);
    expect(await actions('?action=api-key.')).toEqual(KEYS);
    expect(await actions('?action=project.')).toEqual([
      'project.reactivated',
      'project.deleted',
      'project.created',
      'project.created',
    ]);
    expect(await actions('?action=key.')).toEqual([]);
    expect(await actions('?action=api-key.create')).toEqual([]);
  });

  it('select by target and its type', async () => {
    expect(await actions(`?target=${second.projectId}`)).toEqual(['project.created']);
    expect(await actions(`?target=${second.projectId},${test.accountId}`)).toEqual([
      'project.created',
      'account.created',
    ]);
    expect(await actions('?targetType=access-key')).toEqual([
      'access-key.created',
      'access-key.created',
    ]);
    expect(await actions(`?target=${second.projectId}&targetType=api-key`)).toEqual([]);
  });

  it('select by projectId, also rows without a project', async () => {
    expect(await actions(`?projectId=${second.projectId}`)).toEqual([
      ...KEYS,
      'access-key.created',
      'project.created',
    ]);
    expect(await actions('?projectId=null')).toEqual(['access-key.created', 'account.created']);
  });

  it('select by time: from (inclusive) and to (exclusive)', async () => {
    const middle = ['access-key.created', 'project.created'];
    expect(await actions(`?from=${times.middle}&to=${times.late}`)).toEqual(middle);
    expect(await actions(`?to=${times.middle}`)).toEqual(FIRST_BOOT);
    expect(await actions(`?from=${times.late}&action=project.`)).toEqual([
      'project.reactivated',
      'project.deleted',
    ]);
    expect(await actions(`?from=${times.late}&to=${times.late}`)).toEqual([]);
    expect(await actions('?from=2029-12-31&to=2030-01-01%2000:00:01')).toEqual(FIRST_BOOT);
  });

  it.each([
    ['from=2030-01-02&to=2030-01-01', 'from must not be after to'],
    ['from=yesterday', 'from must be an ISO 8601'],
    ['to=2030-02-30', 'to must be an ISO 8601'],
    ['action=%25', 'action'],
    ['action=api-key', 'action'],
    ['actors=ak_1', 'actors'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    [`target=${'x'.repeat(65)}`, 'target'],
    [`target=${Array.from({ length: 21 }, () => 'x').join()}`, 'target'],
    ['target=key_1,', 'target'],
  ])('reject %s', async (query, named) => {
    const { status, body } = await test.client.get(`/audit-logs?${query}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_query' });
    expect(body.message).toContain(named);
  });
});

describe('the pages', () => {
  async function paged(query: string, limit: number): Promise<Row[]> {
    const rows: Row[] = [];
    let path: string | undefined = `/audit-logs?${query}&limit=${limit}`;
    while (path !== undefined) {
      const { body, headers } = await test.client.get(path);
      expect(body.length).toBeLessThanOrEqual(limit);
      rows.push(...body);
      path = /<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    return rows;
  }

  it.each(['', 'action=api-key.', 'projectId=null', `from=2030-01-01T01:00:00Z`])(
    'of %j make up the list, whatever their size',
    async (query) => {
      const whole = await list(`?${query}`);
      for (const limit of [1, 2, 3, 1000]) expect(await paged(query, limit)).toEqual(whole);
    },
  );

  it('are sorted by time, also after the clock was set back', async () => {
    const app = await startTestApp();
    app.clock.now += 86_400_000;
    await app.client.post('/api-keys', { name: 'Ahead' });
    app.clock.now -= 43_200_000;
    await app.client.post('/api-keys', { name: 'Set back' });
    const named = async (path: string) => {
      const { body } = await app.client.get(path);
      return body.map((row: Row) => (row.after as { name: string }).name);
    };
    expect(await named('/audit-logs?action=api-key.')).toEqual(['Ahead', 'Set back']);
    expect(await named('/audit-logs?to=2030-01-01T18:00:00Z&limit=1')).toEqual(['Set back']);
    await app.close();
  });

  it.each([
    ['that is malformed', () => 'nonsense'],
    ['of another list', () => Buffer.from(second.projectId).toString('base64url')],
    [
      'of an unknown row',
      () => Buffer.from('aud_00000000000000000000000000').toString('base64url'),
    ],
  ])('reject a cursor %s', async (_, cursor) => {
    const { status, body } = await test.client.get(`/audit-logs?limit=1&cursor=${cursor()}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_cursor' });
  });

  it('reject a cursor of another account like an unknown one', async () => {
    const [row] = await list('?limit=1', theirs.client);
    const cursor = Buffer.from(row!.id).toString('base64url');
    const { status, body } = await test.client.get(`/audit-logs?limit=1&cursor=${cursor}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_cursor' });
  });
});

describe('one JSON object per line', () => {
  const lines = (query: string, accept = 'application/x-ndjson') =>
    test.client.get(`/audit-logs${query}`, { accept });

  it('contains the same rows as the list', async () => {
    const response = await lines('');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(response.headers.get('vary')).toContain('accept');
    expect(response.text.endsWith('\n')).toBe(true);
    const rows = response.text.trimEnd().split('\n');
    expect(rows.map((line) => JSON.parse(line))).toEqual(await list());
  });

  it('pages like the list', async () => {
    const response = await lines('?limit=2');
    expect(response.text.trimEnd().split('\n')).toHaveLength(2);
    expect(response.headers.get('link')).toContain('rel="next"');
  });

  it('is empty if there are no rows', async () => {
    expect((await lines('?actor=nobody')).text).toBe('');
    expect((await lines('?actor=nobody&limit=1')).text).toBe('');
  });

  it('returns errors as JSON', async () => {
    const { status, body } = await lines('?from=nonsense');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_query' });
  });

  it('works for every list, and only on request', async () => {
    const projects = await test.client.get('/projects', {
      accept: 'text/html, Application/X-NDJSON;q=0.9',
    });
    expect(projects.text.trimEnd().split('\n')).toHaveLength(2);
    for (const accept of ['*/*', 'application/json', 'application/x-ndjson-other'])
      expect((await lines('?limit=1', accept)).body).toHaveLength(1);
  });

  it('continues past one page of the database', async () => {
    const row = await test.storage.point
      .selectFrom('audit_log')
      .selectAll()
      .executeTakeFirstOrThrow();
    const { seq: _, ...columns } = row;
    const copies = Array.from({ length: 1_200 }, (__, n) => ({
      ...columns,
      id: `aud_0${n.toString().padStart(25, '0')}`,
      actor_id: 'many',
    }));
    await test.storage.transaction(async (tx) => {
      for (let start = 0; start < copies.length; start += 100)
        await tx
          .insertInto('audit_log')
          .values(copies.slice(start, start + 100))
          .execute();
    });
    const response = await lines('?actor=many');
    const ids = response.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual(copies.map(({ id }) => id).toReversed());
  });
});

describe('visibility', () => {
  it('a project-level access key sees only the rows of its project', async () => {
    const seen = await list('', second.client);
    expect(seen.map(({ action }) => action)).toEqual([
      ...KEYS,
      'access-key.created',
      'project.created',
    ]);
    for (const row of seen) expect(row.projectId).toBe(second.projectId);
    for (const query of [`?projectId=${test.projectId}`, '?projectId=null', '?actor=system'])
      expect(await list(query, second.client)).toEqual([]);
  });

  it('another account sees nothing, with any filter', async () => {
    const mine = await list('?limit=1000');
    const seen = JSON.stringify(await list('', theirs.client));
    for (const { id } of mine) expect(seen).not.toContain(id);
    for (const query of [
      `?actor=${second.id}`,
      `?target=${second.projectId}`,
      `?projectId=${test.projectId}`,
    ])
      expect(await list(query, theirs.client)).toEqual([]);
  });

  it('the operator has no access here', async () => {
    const path = '/audit-logs';
    const response = await test.client.as(null).get(path, operatorHeaders(test, 'GET', path));
    expect({ status: response.status, code: response.body.code }).toEqual({
      status: 403,
      code: 'scope_missing',
    });
  });
});

describe('rows cannot be changed or removed', () => {
  it('by any route', () => {
    const routes = test.app.routes.filter(({ path }) => path.startsWith('/audit'));
    expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /audit-logs']);
  });

  it('or by another method on the same path', async () => {
    const [row] = await list('?limit=1');
    const { client } = test;
    for (const [path, status] of [
      ['/audit-logs', 405],
      [`/audit-logs/${row!.id}`, 404],
    ] as const)
      for (const response of [
        await client.post(path, {}),
        await client.patch(path, {}),
        await client.delete(path),
      ])
        expect(response.status).toBe(status);
    expect((await list('?limit=1'))[0]).toEqual(row);
  });
});
