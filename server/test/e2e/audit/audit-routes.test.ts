import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRoutes } from '../../../src/app/routes.ts';
import type { Route } from '../../../src/kernel/route.ts';
import { createMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestClient, TestResponse } from '../../harness/test-client.ts';
import { type ConcreteRequest, MATRIX, type Owner } from '../accounts/matrix-rows.ts';
import { operatorHeaders } from '../other-account.ts';

/**
 * The audit rows that one call of each changing route writes. A new route must be added here,
 * otherwise the test fails. The access matrix tests that a rejected call writes no row, and
 * login.test.ts tests the changes that users make to their own login.
 */
const AUDIT_ACTIONS: Record<string, readonly string[]> = {
  createApiKey: ['api-key.created'],
  updateApiKey: ['api-key.updated'],
  deleteApiKey: ['api-key.deleted'],
  reactivateApiKey: ['api-key.reactivated'],
  rotateApiKey: ['api-key.created', 'api-key.deleted'],
  changeApiKeyCredits: ['credits.changed'],
  importApiKeys: ['api-key.imported'],
  importCustomers: ['customer.created'],
  createPlan: ['plan.created'],
  updatePlan: ['plan.updated'],
  deletePlan: ['plan.deleted'],
  createCustomer: ['customer.created'],
  updateCustomer: ['customer.updated'],
  deleteCustomer: ['customer.deleted'],
  changeCustomerCredits: ['credits.changed'],
  createPortalSession: ['portal-session.created'],
  deletePortalSession: ['portal-session.deleted'],
  reportLeaks: ['api-key.leaked'],
  createAccessKey: ['access-key.created'],
  updateAccessKey: ['access-key.updated'],
  deleteAccessKey: ['access-key.deleted'],
  reactivateAccessKey: ['access-key.reactivated'],
  rotateAccessKey: ['access-key.created', 'access-key.deleted'],
  createProject: ['project.created'],
  updateProject: ['project.updated'],
  deleteProject: ['project.deleted'],
  reactivateProject: ['project.reactivated'],
  createAccount: ['account.created'],
  updateAccount: ['account.updated'],
  createInvitations: ['invitation.created'],
  updateInvitation: ['invitation.updated'],
  deleteInvitation: ['invitation.deleted'],
  resendInvitation: ['invitation.resent'],
  updateUserRole: ['user.role-updated'],
  deleteUserRole: ['user.removed'],
  createOwnerLink: ['account.owner-link-made'],
  createPasswordLink: ['user.password-link-made'],
  deleteSecondFactor: ['user.two-factor-dropped'],
  createWebhook: ['webhook.created'],
  updateWebhook: ['webhook.updated'],
  deleteWebhook: ['webhook.deleted'],
  rotateWebhookSecret: ['webhook.secret-rotated'],
  retryWebhookDelivery: ['webhook.delivery-retried'],
  startWebhookReplay: ['webhook.replayed'],
  // Sends a request to a receiver and stores nothing.
  pingWebhook: [],
};

/** Operations that access keys may not call. */
const BY_OPERATOR = new Set([
  'createAccount',
  'createOwnerLink',
  'createPasswordLink',
  'deleteSecondFactor',
]);

const HEADER_VALUE = 'Bearer of-a-custom-header';

/** Bodies for routes where the request of the matrix changes nothing or contains no secret. */
const BODIES: Record<string, object> = {
  updateInvitation: { role: 'admin' },
  updateUserRole: { role: 'developer' },
  updateApiKey: { name: 'Changed', key: 'value-set-by-an-update' },
  createWebhook: {
    name: 'Made',
    url: 'https://example.com/hook',
    topics: ['api-key.created'],
    customHeaders: { authorization: HEADER_VALUE },
  },
  updateWebhook: { customHeaders: { authorization: HEADER_VALUE } },
};

const changing = describeRoutes().filter(
  ({ method, access }) =>
    method !== 'GET' &&
    !access.endsWith(':read') &&
    // Those of the portal are tested in portal.test.ts.
    !['keys:validate', 'public', 'person', 'portal'].includes(access),
);

let test: TestApp;
let mine: Owner;
/** Secrets from the responses; no audit row may contain one. */
const secrets = new Set<string>([HEADER_VALUE, 'value-set-by-an-update']);

beforeAll(async () => {
  test = await startTestApp();
  secrets.add(test.accessKey);
  const { accountId, projectId } = test;
  const membership = async () =>
    (await createMember(test, [{ accountId, role: 'viewer', projectIds: [projectId] }])).id;
  mine = { client: watched(test.client), accountId, projectId, membership };
});
afterAll(() => test.close());

/** Collects every secret in a response. */
function watched(client: TestClient): TestClient {
  const watch = async (response: Promise<TestResponse>) => {
    collect((await response).body);
    return response;
  };
  return {
    get: (...args) => watch(client.get(...args)),
    post: (...args) => watch(client.post(...args)),
    patch: (...args) => watch(client.patch(...args)),
    delete: (...args) => watch(client.delete(...args)),
    as: (credential) => watched(client.as(credential)),
  };
}

function collect(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string') collect(value);
    else if (['key', 'secret', 'token'].includes(name) && !value.includes('*')) secrets.add(value);
    else if (name === 'link') secrets.add(value.split('#token=')[1]!);
  }
}

function send(route: Route, { path, body }: ConcreteRequest): Promise<TestResponse> {
  const { client } = mine;
  const sent = BODIES[route.operationId] ?? body;
  if (BY_OPERATOR.has(route.operationId)) {
    const headers = operatorHeaders(test, route.method, path, sent);
    const operator = client.as(null);
    return route.method === 'DELETE'
      ? operator.delete(path, headers)
      : operator.post(path, sent, headers);
  }
  if (route.method === 'DELETE') return client.delete(path);
  return route.method === 'PATCH' ? client.patch(path, sent) : client.post(path, sent);
}

const rowsOf = (response: TestResponse) =>
  test.storage.point
    .selectFrom('audit_log')
    .selectAll()
    .where('request_id', '=', response.headers.get('x-request-id'))
    .orderBy('seq')
    .execute();

async function concrete(route: Route): Promise<ConcreteRequest> {
  const [way] = MATRIX[route.operationId]!.ways;
  const request = way.request(await way.target(mine));
  if (route.path.endsWith('/reactivate'))
    await mine.client.delete(request.path.replace('/reactivate', ''));
  return request;
}

describe('audit rows of requests', () => {
  it('are listed here for every route that can change something', () => {
    const listed = Object.keys(AUDIT_ACTIONS).toSorted();
    expect(changing.map(({ operationId }) => operationId).toSorted()).toEqual(listed);
  });

  it.each(
    changing.map(
      (route) => [route.operationId, AUDIT_ACTIONS[route.operationId] ?? [], route] as const,
    ),
  )('%s: %j', async (operationId, actions, route) => {
    const response = await send(route, await concrete(route));
    expect(response.status, response.text).toBe(route.status);
    const rows = await rowsOf(response);
    expect(rows.map(({ action }) => action)).toEqual(actions);
    const isOperator = BY_OPERATOR.has(operationId);
    for (const row of rows) {
      expect(row.actor_type).toBe(isOperator ? 'operator' : 'access-key');
      if (operationId !== 'createAccount') expect(row.account_id).toBe(mine.accountId);
      // Credits belong to a key or a customer.
      if (row.action !== 'credits.changed') expect(row.target_type).toBe(row.action.split('.')[0]);
      expect([row.before, row.after]).not.toEqual([null, null]);
    }
  });

  it('contain no secret and no hash of one', async () => {
    const rows = await test.storage.read.selectFrom('audit_log').selectAll().execute();
    const text = JSON.stringify(rows);
    expect(secrets.size).toBeGreaterThan(20);
    for (const secret of secrets) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(test.secrets.hashValue(secret));
    }
    expect(text).not.toMatch(/whsec_/);
    expect(text).not.toMatch(/(live|test|account|portal)_(access_)?[0-9A-Za-z]{49}/);
    expect(text).not.toMatch(/"(hash|token_?hash|sealed_?data|secret)\\?"/i);
  });
});
