import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRoutes } from '../../src/app/routes.ts';
import type { Route } from '../../src/kernel/route.ts';
import { generateValue } from '../../src/kernel/secrets/key-values.ts';
import {
  type ConcreteRequest,
  MATRIX,
  type Owner,
  PORTAL_CUSTOMER,
} from '../e2e/accounts/matrix-rows.ts';
import { operatorHeaders } from '../e2e/other-account.ts';
import { createResponseCheck, type ResponseCheck } from '../e2e/response-check.ts';
import { createMember, type TestMember } from '../harness/member.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import type { TestClient, TestResponse } from '../harness/test-client.ts';

/** Every route × a portal token, and every route of the portal × every other credential. */
const ROUTES = describeRoutes();
const named = (routes: readonly Route[]) =>
  routes.map((route) => [route.operationId, route] as const);
const portal = ROUTES.filter(({ access }) => access === 'portal');
const others = ROUTES.filter(({ access }) => access !== 'portal' && access !== 'public');

let test: TestApp;
let violationIn: ResponseCheck;
let mine: Owner;
let owner: TestMember;
let token: string;
let ended: string;
let narrow: Record<string, string>;

beforeAll(async () => {
  test = await startTestApp();
  violationIn = createResponseCheck(test.app.routes);
  const { client, accountId, projectId } = test;
  owner = await createMember(test, [{ accountId, role: 'owner' }]);
  mine = { client, accountId, projectId, membership: async () => owner.id };
  token = (await session({})).token;
  const closed = await session({});
  await client.delete(`/portal-sessions/${closed.id}`);
  ended = closed.token;
  narrow = {};
  for (const action of ['keys:read', 'keys:create', 'keys:rotate', 'keys:revoke', 'usage:read'])
    narrow[action] = (await session({ allow: [action] })).token;
});
afterAll(() => test.close());

async function session(fields: object) {
  const body = { customAccountId: PORTAL_CUSTOMER, projectId: test.projectId, ...fields };
  const response = await test.client.post('/portal-sessions', body);
  expect(response.status, response.text).toBe(201);
  return response.body as { id: string; token: string };
}

const requestOf = async (route: Route): Promise<ConcreteRequest> => {
  const [way] = MATRIX[route.operationId]!.ways;
  return way.request(await way.target(mine));
};

async function send(
  route: Route,
  client: Pick<TestClient, 'get' | 'post' | 'patch' | 'delete'>,
  { path, body, headers: own }: ConcreteRequest,
  headers: Record<string, string>,
): Promise<TestResponse> {
  const all = { ...own, ...headers };
  const response = await {
    GET: () => client.get(path, all),
    DELETE: () => client.delete(path, all),
    POST: () => client.post(path, body, all),
    PATCH: () => client.patch(path, body, all),
  }[route.method]();
  expect(violationIn(route, response)).toBeNull();
  return response;
}

const changesMade = async (): Promise<number> => {
  const { count } = await test.storage.point
    .selectFrom('audit_log')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

describe.each(named(others))('%s, with a portal token', (_, route) => {
  it('is 401 in either header, and nothing changes', async () => {
    const request = await requestOf(route);
    const before = await changesMade();
    for (const headers of [bearer(token), { 'x-api-key': token }]) {
      const response = await send(route, test.client.as(null), request, headers);
      expect([response.status, response.body.code]).toEqual([401, 'credential_invalid']);
    }
    expect(await changesMade()).toBe(before);
  });
});

describe.each(named(portal))('%s', (_, route) => {
  it('accepts the token of a portal session', async () => {
    const response = await send(route, test.client.as(null), await requestOf(route), bearer(token));
    expect(response.status, response.text).toBe(route.status);
    expect(response.headers.get('ratelimit-limit')).toBe('300');
  });

  it('rejects every other credential with 401, and changes nothing', async () => {
    const request = await requestOf(route);
    const { key } = (await test.client.post('/api-keys', { name: 'K', projectId: test.projectId }))
      .body;
    const unknown = generateValue('portal_');
    const last = unknown.endsWith('0') ? '1' : '0';
    const before = await changesMade();
    const rejected: [string, Record<string, string>][] = [
      ['credential_missing', {}],
      ['credential_missing', { 'x-api-key': test.accessKey }],
      ['credential_missing', { 'x-api-key': token }],
      ['credential_missing', { 'x-api-key': test.accessKey, ...bearer(token) }],
      ['credential_invalid', bearer(test.accessKey)],
      ['credential_invalid', bearer(key)],
      ['credential_invalid', bearer(unknown.slice(0, -1) + last)],
      ['session_invalid', bearer(unknown)],
      ['session_invalid', bearer(ended)],
      ['credential_missing', operatorHeaders(test, route.method, request.path, request.body)],
    ];
    for (const [code, headers] of rejected) {
      const response = await send(route, test.client.as(null), request, headers);
      expect([response.status, response.body.code]).toEqual([401, code]);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
    const person = await send(route, owner, request, {});
    expect([person.status, person.body.code]).toEqual([401, 'credential_missing']);
    expect(await changesMade()).toBe(before);
  });

  it('needs its action in the session', async () => {
    const request = await requestOf(route);
    const before = await changesMade();
    for (const [action, narrowToken] of Object.entries(narrow)) {
      if (route.portalAction === undefined || action === route.portalAction) continue;
      const response = await send(route, test.client.as(null), request, bearer(narrowToken));
      expect([response.status, response.body.code]).toEqual([403, 'scope_missing']);
      expect(response.body.message).toContain(route.portalAction);
    }
    expect(await changesMade()).toBe(before);
    if (route.portalAction === undefined) return;
    const own = bearer(narrow[route.portalAction]!);
    const response = await send(route, test.client.as(null), request, own);
    expect(response.status, response.text).toBe(route.status);
  });

  it('is refused to a site that the project does not list', async () => {
    const request = await requestOf(route);
    const before = await changesMade();
    for (const origin of ['https://evil.example', 'null', 'https://keyward.example.evil.example']) {
      const headers = { ...bearer(token), origin };
      const response = await send(route, test.client.as(null), request, headers);
      expect([response.status, response.body.code]).toEqual([403, 'origin_denied']);
    }
    expect(await changesMade()).toBe(before);
  });
});
