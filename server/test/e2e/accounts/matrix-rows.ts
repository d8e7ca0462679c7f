import { hash } from 'node:crypto';
import type { Scope } from '../../../src/kernel/authority.ts';
import { SCOPES } from '../../../src/kernel/authority.ts';
import { createIds } from '../../../src/kernel/ids.ts';
import { generateValue } from '../../../src/kernel/secrets/key-values.ts';
import type { TestClient } from '../../harness/test-client.ts';

/** The owner of the resources in a request; `client` has all rights in the account. */
export interface Owner {
  readonly client: TestClient;
  readonly accountId: string;
  readonly projectId: string;
  /** Adds a user to the account, as a viewer of the project, and returns the id. */
  membership(): Promise<string>;
}

export interface ConcreteRequest {
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One way to name a resource in a request: by id, by value, in the path, in the body. */
export interface Way {
  readonly named: string;
  /** Creates or picks a resource, and returns its id or value. */
  target(owner: Owner): Promise<string>;
  /** An id or value of the same form that does not exist. */
  unknown(): string;
  request(target: string): ConcreteRequest;
  /** Result for both a foreign and an unknown target. */
  readonly foreign?: 'not found' | 'empty list' | 'count of zero' | 'unknown leak';
  /** Result for a project-level access key of another project in the same account. */
  readonly otherProject?: 'hidden' | 'level_too_low' | 'allowed';
}

export interface MatrixRow {
  /** The first way is used where only the credential matters. */
  readonly ways: readonly [Way, ...Way[]];
  /** Error for a valid access key, if the route does not accept access keys. */
  readonly refusedAs?: string;
  /** Error for users of every role, if the route accepts only access keys. */
  readonly toPeople?: 'credential_missing' | 'scope_missing';
  /** Scopes that the caller needs besides the scope of the route, for example to grant a role. */
  readonly otherScopes?: readonly Scope[];
}

const ids = createIds();
const READING = SCOPES.filter((scope) => scope.endsWith(':read'));

const projectOf = async (owner: Owner) => owner.projectId;
const accountOf = async (owner: Owner) => owner.accountId;
const unknownProject = () => ids('prj');
const unknownAccount = () => ids('acc');

const apiKeyOf = async ({ client, projectId }: Owner) =>
  (await client.post('/api-keys', { name: 'Matrix', projectId })).body;

/** It has only the scope `access-keys:write`, so that a caller with only this scope may rotate it too. */
const accessKeyOf = async ({ client, projectId }: Owner) =>
  (await client.post('/access-keys', { name: 'Matrix', projectId, scopes: ['access-keys:write'] }))
    .body;

let importedValues = 10_000;
let invited = 0;
const invitationOf = async ({ client, projectId }: Owner) =>
  (
    await client.post('/invitations', {
      emails: [`matrix-${invited++}@example.com`],
      role: 'viewer',
      projectIds: [projectId],
    })
  ).body[0].id;

/** A request that names a key in its path, by id and by value. */
const keyWays = (request: (target: string) => ConcreteRequest): MatrixRow['ways'] => [
  {
    named: 'the id',
    target: async (owner) => (await apiKeyOf(owner)).id,
    unknown: () => ids('key'),
    request,
  },
  valueWay(request),
];

const valueWay = (request: (target: string) => ConcreteRequest): Way => ({
  named: 'the value',
  target: async (owner) => (await apiKeyOf(owner)).key,
  unknown: () => generateValue('live_'),
  request,
});

const accessKeyWays = (request: (target: string) => ConcreteRequest): MatrixRow['ways'] => [
  {
    named: 'the id',
    target: async (owner) => (await accessKeyOf(owner)).id,
    unknown: () => ids('ak'),
    request,
  },
  {
    named: 'the value',
    target: async (owner) => (await accessKeyOf(owner)).key,
    unknown: () => generateValue('live_access_'),
    request,
  },
];

const planOf = async ({ client, projectId }: Owner) =>
  (await client.post('/plans', { name: 'Matrix', projectId })).body.id;

let customers = 0;
const customerOf = async ({ client, projectId }: Owner) =>
  (await client.post('/customers', { customAccountId: `matrix-${customers++}`, projectId })).body;

/** The customer of all requests of the portal. */
export const PORTAL_CUSTOMER = 'matrix-portal';

const portalSessionOf = async ({ client, projectId }: Owner) =>
  (await client.post('/portal-sessions', { customAccountId: PORTAL_CUSTOMER, projectId })).body.id;

const portalSessionWay: Way = {
  named: 'the id',
  target: portalSessionOf,
  unknown: () => ids('pse'),
  request: (id) => ({ path: `/portal-sessions/${id}` }),
};

/** A request of the portal that names a key of its customer. */
const portalKeyWay = (rest: string, body?: object): MatrixRow => ({
  ways: [
    {
      named: 'the id',
      target: async ({ client, projectId }) =>
        (
          await client.post('/api-keys', {
            name: 'Matrix',
            projectId,
            customAccountId: PORTAL_CUSTOMER,
          })
        ).body.id,
      unknown: () => ids('key'),
      request: (id) => ({ path: `/portal/api-keys/${id}${rest}`, ...(body && { body }) }),
    },
  ],
});

const planWay = (request: (target: string) => ConcreteRequest): Way => ({
  named: 'the id',
  target: planOf,
  unknown: () => ids('pln'),
  request,
});

/** `request` gets the path of the customer, without a query, and the query. */
const customerWays = (
  request: (path: string, query: string) => ConcreteRequest,
): MatrixRow['ways'] => [
  {
    named: 'the id',
    target: async (owner) => (await customerOf(owner)).id,
    unknown: () => ids('cus'),
    request: (id) => request(`/customers/${id}`, ''),
  },
  {
    named: 'the customAccountId and the project',
    target: async (owner) => {
      const { customAccountId, projectId } = await customerOf(owner);
      return `${customAccountId} ${projectId}`;
    },
    unknown: () => `unknown ${ids('prj')}`,
    request(target) {
      const [customAccountId, projectId] = target.split(' ');
      return request(`/customers/${customAccountId}`, `?projectId=${projectId}`);
    },
  },
];

const projectWay = (request: (target: string) => ConcreteRequest): Way => ({
  named: 'the project',
  target: projectOf,
  unknown: unknownProject,
  request,
});

const invitationWay = (request: (target: string) => ConcreteRequest): Way => ({
  named: 'the id',
  target: invitationOf,
  unknown: () => ids('inv'),
  request,
});

const memberOf = (owner: Owner) => owner.membership();

const memberWay = (request: (target: string) => ConcreteRequest): Way => ({
  named: 'the person',
  target: memberOf,
  unknown: () => ids('usr'),
  request,
});

/** Rejected before any lookup, so a known and an unknown target get the same response. */
const operatorWay = (
  target: (owner: Owner) => Promise<string>,
  unknown: () => string,
  path: (target: string) => string,
): Way => ({
  named: 'nothing',
  target,
  unknown,
  request: (id) => ({ path: path(id) }),
  otherProject: 'allowed',
});

const webhookOf = async ({ client, projectId }: Owner) => {
  const body = {
    name: 'Matrix',
    url: 'https://example.com/hook',
    topics: ['api-key.created'],
    projectId,
  };
  return (await client.post('/webhooks', body)).body.id;
};

/** Made with `webhooks:write` alone, so that a caller with only this scope may rotate its secret. */
async function webhookOfFewRights({ client, projectId }: Owner): Promise<string> {
  const input = { name: 'Matrix', projectId, scopes: ['webhooks:write'] };
  const { key } = (await client.post('/access-keys', input)).body;
  const hook = { name: 'Matrix', url: 'https://example.com/hook', projectId };
  const topics = ['api-key.updated'];
  return (await client.post('/webhooks', { ...hook, topics }, { 'x-api-key': key })).body.id;
}

const webhookWay = (request: (target: string) => ConcreteRequest): Way => ({
  named: 'the id',
  target: webhookOf,
  unknown: () => ids('whk'),
  request,
});

/** The target is a part of the path, with the ids of the webhook and of the delivery. */
const deliveryWay = (rest = ''): Way => ({
  named: 'the delivery',
  target: async (owner) => {
    const webhook = await webhookOf(owner);
    await apiKeyOf(owner);
    const { body } = await owner.client.get(`/webhooks/${webhook}/deliveries`);
    return `${webhook}/deliveries/${body[0].id}`;
  },
  unknown: () => `${ids('whk')}/deliveries/${ids('dlv')}`,
  request: (target) => ({ path: `/webhooks/${target}${rest}` }),
});

const replayWay: Way = {
  named: 'the replay',
  target: async (owner) => {
    const webhook = await webhookOf(owner);
    const path = `/webhooks/${webhook}/replay`;
    const { body } = await owner.client.post(path, { since: '2029-01-01' });
    return `${webhook}/replays/${body.id}`;
  },
  unknown: () => `${ids('whk')}/replays/${ids('rpl')}`,
  request: (target) => ({ path: `/webhooks/${target}` }),
};

const accountWay = (
  otherProject: Way['otherProject'],
  request: (target: string) => ConcreteRequest,
): Way => ({
  named: 'the account',
  target: accountOf,
  unknown: unknownAccount,
  request,
  ...(otherProject && { otherProject }),
});

/** A request that names no resource. */
const nothing = (path: string, body?: object): MatrixRow => ({
  ways: [
    {
      named: 'nothing',
      target: async () => '',
      unknown: () => '',
      request: () => ({ path, ...(body && { body }) }),
      otherProject: 'allowed',
    },
  ],
});

/** Every route of the service, by operationId. A route without a row fails the matrix. */
export const MATRIX: Record<string, MatrixRow> = {
  createApiKey: {
    ways: [projectWay((projectId) => ({ path: '/api-keys', body: { name: 'Made', projectId } }))],
  },
  importApiKeys: {
    ways: [
      projectWay((projectId) => ({
        path: '/api-keys/import',
        body: { projectId, keys: [{ name: 'Imported', key: `imported-${importedValues++}` }] },
      })),
    ],
  },
  listApiKeys: {
    ways: [
      {
        ...projectWay((projectId) => ({ path: `/api-keys?projectId=${projectId}&limit=1` })),
        foreign: 'empty list',
      },
    ],
  },
  countApiKeys: {
    ways: [
      {
        ...projectWay((projectId) => ({ path: `/api-keys/count?projectId=${projectId}` })),
        foreign: 'count of zero',
      },
    ],
  },
  findApiKey: {
    ways: [valueWay((key) => ({ path: '/api-keys/find', body: { sha256: hash('sha256', key) } }))],
  },
  getApiKey: { ways: keyWays((key) => ({ path: `/api-keys/${key}` })) },
  explainApiKey: { ways: keyWays((key) => ({ path: `/api-keys/${key}/explain`, body: {} })) },
  updateApiKey: {
    ways: keyWays((key) => ({ path: `/api-keys/${key}`, body: { name: 'Changed' } })),
  },
  deleteApiKey: { ways: keyWays((key) => ({ path: `/api-keys/${key}` })) },
  reactivateApiKey: { ways: keyWays((key) => ({ path: `/api-keys/${key}/reactivate` })) },
  rotateApiKey: { ways: keyWays((key) => ({ path: `/api-keys/${key}/rotate` })) },
  changeApiKeyCredits: {
    ways: keyWays((key) => ({ path: `/api-keys/${key}/credits`, body: { add: 5 } })),
  },
  getApiKeyCredits: { ways: keyWays((key) => ({ path: `/api-keys/${key}/credits` })) },
  getApiKeyCreditStatement: {
    ways: keyWays((key) => ({ path: `/api-keys/${key}/credits/statement` })),
  },
  validateApiKey: { ways: [valueWay((key) => ({ path: `/api-keys/auth/${key}` }))] },
  validateApiKeyByGet: { ways: [valueWay((key) => ({ path: `/api-keys/auth/${key}` }))] },
  validateApiKeys: {
    ways: [valueWay((key) => ({ path: '/api-keys/auth', body: { key } }))],
  },
  authenticateApiKey: {
    ways: [
      valueWay((key) => ({ path: '/auth/authenticate', body: { credentials: { api_key: key } } })),
    ],
  },
  verifyForGateway: {
    toPeople: 'credential_missing',
    ways: [
      valueWay((key) => ({
        path: '/gateway/verify?invalid=404',
        headers: { 'x-keyward-key': key },
      })),
    ],
  },
  streamChanges: { ...nothing('/changes?maxSeconds=0'), toPeople: 'scope_missing' },
  returnLeases: nothing('/api-keys/leases/return', {
    leases: [{ keyId: ids('key'), leaseId: ids('lse'), unused: 1 }],
  }),
  reportUsage: {
    ...nothing('/usage', {
      reporter: 'reporter-of-the-matrix',
      number: 1,
      agoMs: 0,
      counts: [{ keyId: ids('key'), outcome: 'valid', count: 1 }],
    }),
    toPeople: 'scope_missing',
  },
  createPortalSession: {
    otherScopes: ['keys:read'],
    ways: [
      projectWay((projectId) => ({
        path: '/portal-sessions',
        body: { customAccountId: PORTAL_CUSTOMER, projectId },
      })),
    ],
  },
  listPortalSessions: {
    ways: [
      {
        ...projectWay((projectId) => ({ path: `/portal-sessions?projectId=${projectId}&limit=1` })),
        foreign: 'empty list',
      },
    ],
  },
  getPortalSession: { ways: [portalSessionWay] },
  deletePortalSession: { ways: [portalSessionWay] },
  portalGetSession: nothing('/portal/session'),
  portalListApiKeys: nothing('/portal/api-keys'),
  portalCreateApiKey: nothing('/portal/api-keys', { name: 'Made' }),
  portalRenameApiKey: portalKeyWay('', { name: 'Changed' }),
  portalRotateApiKey: portalKeyWay('/rotate'),
  portalRevokeApiKey: portalKeyWay(''),
  portalGetUsage: nothing('/portal/usage?interval=day'),
  portalGetLimits: nothing('/portal/limits'),
  createPlan: {
    ways: [projectWay((projectId) => ({ path: '/plans', body: { name: 'Made', projectId } }))],
  },
  listPlans: {
    ways: [
      {
        ...projectWay((projectId) => ({ path: `/plans?projectId=${projectId}&limit=1` })),
        foreign: 'empty list',
      },
    ],
  },
  getPlan: { ways: [planWay((id) => ({ path: `/plans/${id}` }))] },
  updatePlan: { ways: [planWay((id) => ({ path: `/plans/${id}`, body: { name: 'Changed' } }))] },
  deletePlan: { ways: [planWay((id) => ({ path: `/plans/${id}` }))] },
  previewPlan: {
    otherScopes: ['analytics:read'],
    ways: [
      planWay((planId) => ({ path: '/plans/preview', body: { planId } })),
      projectWay((projectId) => ({ path: '/plans/preview', body: { projectId } })),
    ],
  },
  createCustomer: {
    ways: [
      projectWay((projectId) => ({
        path: '/customers',
        body: { customAccountId: `made-${customers++}`, projectId },
      })),
    ],
  },
  listCustomers: {
    ways: [
      {
        ...projectWay((projectId) => ({ path: `/customers?projectId=${projectId}&limit=1` })),
        foreign: 'empty list',
      },
    ],
  },
  getCustomer: { ways: customerWays((path, query) => ({ path: path + query })) },
  updateCustomer: {
    ways: customerWays((path, query) => ({ path: path + query, body: { name: 'Changed' } })),
  },
  deleteCustomer: { ways: customerWays((path, query) => ({ path: path + query })) },
  changeCustomerCredits: {
    ways: customerWays((path, query) => ({ path: `${path}/credits${query}`, body: { add: 5 } })),
  },
  getCustomerCredits: {
    ways: customerWays((path, query) => ({ path: `${path}/credits${query}` })),
  },
  getCustomerCreditStatement: {
    ways: customerWays((path, query) => ({ path: `${path}/credits/statement${query}` })),
  },
  importCustomers: {
    ways: [
      projectWay((projectId) => ({
        path: '/customers/import',
        body: { customers: [{ customAccountId: `made-${customers++}` }], projectId },
      })),
    ],
  },
  listCustomerKeys: {
    otherScopes: ['customers:read'],
    ways: customerWays((path, query) => ({ path: `${path}/keys${query}` })),
  },
  getCustomerUsage: {
    otherScopes: ['customers:read'],
    ways: customerWays((path, query) => ({
      path: `${path}/usage${query === '' ? '?' : `${query}&`}groupBy=outcome&interval=day`,
    })),
  },
  createAccessKey: {
    ways: [
      projectWay((projectId) => ({
        path: '/access-keys',
        body: { name: 'Made', projectId, scopes: ['access-keys:write'] },
      })),
      accountWay('level_too_low', (accountId) => ({
        path: '/access-keys',
        body: { name: 'Made', accountId, projectId: null, scopes: ['access-keys:write'] },
      })),
    ],
  },
  listAccessKeys: {
    ways: [
      {
        ...projectWay((projectId) => ({ path: `/access-keys?projectId=${projectId}&limit=1` })),
        foreign: 'empty list',
      },
      accountWay('allowed', (accountId) => ({ path: `/access-keys?accountId=${accountId}` })),
    ],
  },
  getAccessKey: { ways: accessKeyWays((key) => ({ path: `/access-keys/${key}` })) },
  updateAccessKey: {
    ways: accessKeyWays((key) => ({ path: `/access-keys/${key}`, body: { name: 'Changed' } })),
  },
  deleteAccessKey: { ways: accessKeyWays((key) => ({ path: `/access-keys/${key}` })) },
  reactivateAccessKey: {
    ways: accessKeyWays((key) => ({ path: `/access-keys/${key}/reactivate` })),
  },
  rotateAccessKey: { ways: accessKeyWays((key) => ({ path: `/access-keys/${key}/rotate` })) },
  createProject: {
    ways: [
      accountWay('level_too_low', (accountId) => ({
        path: '/projects',
        body: { name: 'Made', accountId, env: 'test' },
      })),
    ],
  },
  listProjects: {
    ways: [accountWay('allowed', (accountId) => ({ path: `/projects?accountId=${accountId}` }))],
  },
  getProject: { ways: [projectWay((id) => ({ path: `/projects/${id}` }))] },
  updateProject: {
    ways: [projectWay((id) => ({ path: `/projects/${id}`, body: { name: 'Changed' } }))],
  },
  deleteProject: {
    ways: [
      {
        ...projectWay((id) => ({ path: `/projects/${id}` })),
        // A new project: other rows still need the project of the owner.
        target: async ({ client }) => (await client.post('/projects', { name: 'To go' })).body.id,
      },
    ],
  },
  reactivateProject: { ways: [projectWay((id) => ({ path: `/projects/${id}/reactivate` }))] },
  createAccount: {
    ways: [
      {
        named: 'nothing',
        target: async () => '',
        unknown: () => '',
        request: () => ({ path: '/accounts', body: { name: 'Made' } }),
        otherProject: 'allowed',
      },
    ],
    refusedAs: 'people_only',
  },
  listAccounts: nothing('/accounts'),
  getAccount: { ways: [accountWay('allowed', (id) => ({ path: `/accounts/${id}` }))] },
  updateAccount: {
    ways: [
      accountWay('level_too_low', (id) => ({ path: `/accounts/${id}`, body: { name: 'Changed' } })),
    ],
  },
  createInvitations: {
    otherScopes: READING,
    ways: [
      projectWay((projectId) => ({
        path: '/invitations',
        body: { emails: ['new@example.com'], role: 'viewer', projectIds: [projectId] },
      })),
      accountWay('level_too_low', (accountId) => ({
        path: '/invitations',
        body: { emails: ['new@example.com'], role: 'viewer', accountId },
      })),
    ],
  },
  listInvitations: {
    ways: [
      {
        ...projectWay((projectId) => ({ path: `/invitations?projectId=${projectId}` })),
        foreign: 'empty list',
      },
      accountWay('allowed', (accountId) => ({ path: `/invitations?accountId=${accountId}` })),
    ],
  },
  getInvitation: { ways: [invitationWay((id) => ({ path: `/invitations/${id}` }))] },
  getInvitationInfo: { ways: [invitationWay((id) => ({ path: `/invitations/${id}/info` }))] },
  updateInvitation: {
    otherScopes: READING,
    ways: [invitationWay((id) => ({ path: `/invitations/${id}`, body: { role: 'viewer' } }))],
  },
  deleteInvitation: { ways: [invitationWay((id) => ({ path: `/invitations/${id}` }))] },
  getSignInMethods: nothing('/auth/methods'),
  signIn: nothing('/auth/sign-in', { email: 'nobody@example.com', password: 'not the password' }),
  signInWithTotp: nothing('/auth/sign-in/totp', { code: '123456' }),
  signInWithRecoveryCode: nothing('/auth/sign-in/recovery-code', { code: 'abcde-fghij' }),
  beginPasskeySignIn: nothing('/auth/sign-in/passkey/options'),
  signInWithPasskey: nothing('/auth/sign-in/passkey', { response: {} }),
  signOut: nothing('/auth/sign-out'),
  getSetupInfo: nothing('/auth/setup/info', { token: 'a-token-never-issued' }),
  useSetupLink: nothing('/auth/setup', { token: 'a-token-never-issued' }),
  getMe: nothing('/me'),
  updateMe: nothing('/me', { name: 'Changed' }),
  listSessions: nothing('/auth/sessions'),
  endSession: nothing(`/auth/sessions/${ids('ses')}`),
  endOtherSessions: nothing('/auth/sessions'),
  changePassword: nothing('/auth/password', {
    currentPassword: 'not the password',
    newPassword: 'another long password',
  }),
  beginTwoFactor: nothing('/auth/two-factor', { password: 'not the password' }),
  confirmTwoFactor: nothing('/auth/two-factor/confirm', { code: '123456' }),
  endTwoFactor: nothing('/auth/two-factor/disable', { password: 'not the password' }),
  newRecoveryCodes: nothing('/auth/two-factor/recovery-codes', { password: 'not the password' }),
  confirmIdentity: nothing('/auth/confirm', { password: 'x' }),
  listPasskeys: nothing('/auth/passkeys'),
  beginPasskey: nothing('/auth/passkeys/options'),
  addPasskey: nothing('/auth/passkeys', { name: 'Made', response: {} }),
  renamePasskey: nothing(`/auth/passkeys/${ids('psk')}`, { name: 'Changed' }),
  removePasskey: nothing(`/auth/passkeys/${ids('psk')}`),
  resendInvitation: {
    otherScopes: READING,
    ways: [invitationWay((id) => ({ path: `/invitations/${id}/resend` }))],
  },
  acceptInvitation: nothing(`/invitations/${ids('inv')}/accept`, { token: 'a-token-never-issued' }),
  forgetPassword: nothing('/auth/password/forgot', { email: 'nobody@example.com' }),
  resetPassword: nothing('/auth/password/reset', {
    token: 'a-token-never-issued',
    password: 'another long password',
  }),
  beginProviderSignIn: nothing('/auth/sign-in/provider', { provider: 'github' }),
  linkProvider: nothing('/auth/providers', { provider: 'github' }),
  listLinkedProviders: nothing('/auth/providers'),
  unlinkProvider: nothing('/auth/providers/github'),
  finishProviderSignIn: { ...nothing('/auth/callback/github'), refusedAs: 'provider_not_found' },
  createOwnerLink: {
    refusedAs: 'operator_only',
    ways: [operatorWay(accountOf, unknownAccount, (id) => `/accounts/${id}/owner-links`)],
  },
  createPasswordLink: {
    refusedAs: 'operator_only',
    ways: [
      operatorWay(
        memberOf,
        () => ids('usr'),
        (id) => `/users/${id}/password-links`,
      ),
    ],
  },
  deleteSecondFactor: {
    refusedAs: 'operator_only',
    ways: [
      operatorWay(
        memberOf,
        () => ids('usr'),
        (id) => `/users/${id}/second-factor`,
      ),
    ],
  },
  listTeammates: {
    ways: [accountWay('allowed', (accountId) => ({ path: `/teammates?accountId=${accountId}` }))],
  },
  getUserRoles: { ways: [memberWay((id) => ({ path: `/users/${id}/roles` }))] },
  updateUserRole: {
    otherScopes: READING,
    ways: [memberWay((id) => ({ path: `/users/${id}/roles`, body: { role: 'viewer' } }))],
  },
  deleteUserRole: {
    otherScopes: READING,
    ways: [memberWay((id) => ({ path: `/users/${id}/roles` }))],
  },
  leaveAccount: nothing(`/me/accounts/${ids('acc')}`),
  listWebhookTopics: nothing('/webhooks/topics'),
  createWebhook: {
    ways: [
      projectWay((projectId) => ({
        path: '/webhooks',
        body: {
          name: 'Made',
          url: 'https://example.com/hook',
          topics: ['project.updated'],
          projectId,
        },
      })),
    ],
  },
  listWebhooks: {
    ways: [
      {
        ...projectWay((projectId) => ({ path: `/webhooks?projectId=${projectId}&limit=1` })),
        foreign: 'empty list',
      },
      accountWay('allowed', (accountId) => ({ path: `/webhooks?accountId=${accountId}` })),
    ],
  },
  getWebhook: { ways: [webhookWay((id) => ({ path: `/webhooks/${id}` }))] },
  updateWebhook: {
    ways: [webhookWay((id) => ({ path: `/webhooks/${id}`, body: { name: 'Changed' } }))],
  },
  deleteWebhook: { ways: [webhookWay((id) => ({ path: `/webhooks/${id}` }))] },
  rotateWebhookSecret: {
    ways: [
      {
        ...webhookWay((id) => ({ path: `/webhooks/${id}/rotate-secret` })),
        target: webhookOfFewRights,
      },
    ],
  },
  pingWebhook: nothing('/webhooks/ping', { url: 'https://keyward.invalid/hook' }),
  listWebhookDeliveries: { ways: [webhookWay((id) => ({ path: `/webhooks/${id}/deliveries` }))] },
  getWebhookDelivery: { ways: [deliveryWay()] },
  retryWebhookDelivery: { ways: [deliveryWay('/retry')] },
  startWebhookReplay: {
    ways: [webhookWay((id) => ({ path: `/webhooks/${id}/replay`, body: { since: '2029-01-01' } }))],
  },
  listWebhookReplays: { ways: [webhookWay((id) => ({ path: `/webhooks/${id}/replays` }))] },
  getWebhookReplay: { ways: [replayWay] },
  listAuditLogs: {
    ways: [
      {
        ...projectWay((projectId) => ({ path: `/audit-logs?projectId=${projectId}&limit=1` })),
        foreign: 'empty list',
      },
      {
        named: 'the id of the changed resource',
        target: async (owner) => (await apiKeyOf(owner)).id,
        unknown: () => ids('key'),
        request: (target) => ({ path: `/audit-logs?target=${target}` }),
        foreign: 'empty list',
      },
    ],
  },
  getApiKeyTotals: {
    ways: [
      ...keyWays((key) => ({ path: `/analytics/api-key-totals?key=${key}` })),
      projectWay((id) => ({ path: `/analytics/api-key-totals?projectId=${id}&limit=1` })),
    ],
  },
  getProjectTotals: {
    ways: [
      projectWay((id) => ({ path: `/analytics/project-totals?projectId=${id}` })),
      ...keyWays((key) => ({ path: `/analytics/project-totals?key=${key}` })),
    ],
  },
  getUsage: {
    ways: [
      ...keyWays((key) => ({ path: `/analytics/usage?groupBy=key&interval=day&key=${key}` })),
      projectWay((id) => ({
        path: `/analytics/usage?groupBy=accessKey&interval=day&projectId=${id}`,
      })),
    ],
  },
  exportUsage: {
    ways: [
      projectWay((id) => ({
        path: `/analytics/usage/export?groupBy=project&from=2030-01-01&to=2030-02-01&projectId=${id}`,
      })),
    ],
  },
  listRefusals: {
    ways: [
      ...keyWays((key) => ({ path: `/refusals?key=${key}` })),
      projectWay((id) => ({ path: `/refusals?projectId=${id}` })),
    ],
  },
  reportLeaks: {
    ways: [
      {
        ...valueWay((value) => ({
          path: '/leaks',
          body: { values: [value], source: 'the matrix' },
        })),
        foreign: 'unknown leak',
      },
      {
        named: 'the value of an access key',
        target: async (owner) => (await accessKeyOf(owner)).key,
        unknown: () => generateValue('live_access_'),
        request: (value) => ({ path: '/leaks', body: { values: [value], source: 'the matrix' } }),
        foreign: 'unknown leak',
      },
    ],
  },
  listLeaks: {
    ways: [
      projectWay((id) => ({ path: `/leaks?projectId=${id}` })),
      {
        named: 'the id of the key',
        target: async (owner) => {
          const { id, key } = await apiKeyOf(owner);
          await owner.client.post('/leaks', { values: [key], source: 'the matrix' });
          return id;
        },
        unknown: () => ids('key'),
        request: (id) => ({ path: `/leaks?key=${id}` }),
        foreign: 'empty list',
      },
    ],
  },
  // The test server has no public keys of GitHub.
  receiveGithubLeaks: { ...nothing('/leaks/github', []), refusedAs: 'route_not_found' },
  getEngines: { ways: [{ ...nothing('/engines').ways[0]!, otherProject: 'level_too_low' }] },
  health: nothing('/healthz'),
  readiness: nothing('/readyz'),
  product: nothing('/'),
};
