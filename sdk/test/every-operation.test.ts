import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { Keyward, type OperationId } from '../src/index.ts';

interface Description {
  paths: Record<string, Record<string, { operationId: string }>>;
}

/** The method for each operation. A new operation does not compile until it has a row here. */
const CALLS: Record<OperationId, (keyward: Keyward) => Promise<unknown>> = {
  createApiKey: (k) => k.apiKeys.create({ name: 'a' }),
  listApiKeys: (k) => k.apiKeys.list().page(),
  countApiKeys: (k) => k.apiKeys.count(),
  findApiKey: (k) => k.apiKeys.findByValue('v'),
  getApiKey: (k) => k.apiKeys.get('p'),
  updateApiKey: (k) => k.apiKeys.update('p', { name: 'b' }),
  deleteApiKey: (k) => k.apiKeys.revoke('p'),
  reactivateApiKey: (k) => k.apiKeys.reactivate('p'),
  getApiKeyCredits: (k) => k.apiKeys.credits('p'),
  getApiKeyCreditStatement: (k) => k.apiKeys.creditStatement('p'),
  changeApiKeyCredits: (k) => k.apiKeys.changeCredits('p', { add: 5 }),
  rotateApiKey: (k) => k.apiKeys.rotate('p', { graceSeconds: 60 }),
  importApiKeys: (k) => k.apiKeys.import({ keys: [{ name: 'a', key: 'brought-1' }] }),
  // No method: a key in the URL would end up in logs.
  validateApiKey: (k) => k.call('validateApiKey', { path: { key: 'p' } }),
  validateApiKeyByGet: (k) => k.call('validateApiKeyByGet', { path: { key: 'p' } }),
  validateApiKeys: (k) => k.apiKeys.validateMany(['v']),
  // No method: for clients of an older API.
  authenticateApiKey: (k) =>
    k.call('authenticateApiKey', { body: { credentials: { api_key: 'v' } } }),
  // No method: for gateways.
  verifyForGateway: (k) => k.call('verifyForGateway', {}),
  explainApiKey: (k) => k.apiKeys.explain('p'),
  // Used by local validation only.
  streamChanges: (k) => k.call('streamChanges', {}),
  returnLeases: (k) =>
    k.call('returnLeases', { body: { leases: [{ keyId: 'p', leaseId: 'p', unused: 1 }] } }),
  reportUsage: (k) =>
    k.call('reportUsage', { body: { reporter: 'p', number: 1, agoMs: 0, counts: [] } }),
  createPlan: (k) => k.plans.create({ name: 'a' }),
  listPlans: (k) => k.plans.list().page(),
  getPlan: (k) => k.plans.get('p'),
  updatePlan: (k) => k.plans.update('p', { name: 'b' }),
  deletePlan: (k) => k.plans.delete('p'),
  previewPlan: (k) => k.plans.preview({ planId: 'p' }),
  createCustomer: (k) => k.customers.create({ customAccountId: 'a' }),
  listCustomers: (k) => k.customers.list().page(),
  getCustomer: (k) => k.customers.get('p'),
  updateCustomer: (k) => k.customers.update('p', { name: 'b' }),
  deleteCustomer: (k) => k.customers.delete('p'),
  getCustomerCredits: (k) => k.customers.credits('p'),
  getCustomerCreditStatement: (k) => k.customers.creditStatement('p'),
  changeCustomerCredits: (k) => k.customers.changeCredits('p', { add: 5 }),
  listCustomerKeys: (k) => k.customers.keys('p').page(),
  getCustomerUsage: (k) => k.customers.usage('p', { groupBy: 'outcome', interval: 'day' }).page(),
  importCustomers: (k) => k.customers.import({ customers: [{ customAccountId: 'a' }] }),
  createPortalSession: (k) => k.portalSessions.create({ customAccountId: 'a' }),
  listPortalSessions: (k) => k.portalSessions.list().page(),
  getPortalSession: (k) => k.portalSessions.get('p'),
  deletePortalSession: (k) => k.portalSessions.delete('p'),
  // No methods: for keyward/react, with the token of a portal session.
  portalGetSession: (k) => k.call('portalGetSession', {}),
  portalListApiKeys: (k) => k.call('portalListApiKeys', {}),
  portalCreateApiKey: (k) => k.call('portalCreateApiKey', { body: { name: 'a' } }),
  portalRenameApiKey: (k) =>
    k.call('portalRenameApiKey', { path: { id: 'p' }, body: { name: 'b' } }),
  portalRotateApiKey: (k) => k.call('portalRotateApiKey', { path: { id: 'p' } }),
  portalRevokeApiKey: (k) => k.call('portalRevokeApiKey', { path: { id: 'p' } }),
  portalGetUsage: (k) => k.call('portalGetUsage', { query: { interval: 'day' } }),
  portalGetLimits: (k) => k.call('portalGetLimits', {}),
  createAccessKey: (k) => k.accessKeys.create({ name: 'a' }),
  listAccessKeys: (k) => k.accessKeys.list().page(),
  getAccessKey: (k) => k.accessKeys.get('p'),
  updateAccessKey: (k) => k.accessKeys.update('p', { name: 'b' }),
  deleteAccessKey: (k) => k.accessKeys.revoke('p'),
  reactivateAccessKey: (k) => k.accessKeys.reactivate('p'),
  rotateAccessKey: (k) => k.accessKeys.rotate('p'),
  createProject: (k) => k.projects.create({ name: 'a' }),
  listProjects: (k) => k.projects.list().page(),
  getProject: (k) => k.projects.get('p'),
  updateProject: (k) => k.projects.update('p', { name: 'b' }),
  deleteProject: (k) => k.projects.deactivate('p'),
  reactivateProject: (k) => k.projects.reactivate('p'),
  createAccount: (k) => k.accounts.create({ name: 'a' }),
  listAccounts: (k) => k.accounts.list().page(),
  getAccount: (k) => k.accounts.get('p'),
  updateAccount: (k) => k.accounts.update('p', { name: 'b' }),
  createInvitations: (k) => k.invitations.create({ emails: ['a@b.example'], role: 'viewer' }),
  listInvitations: (k) => k.invitations.list().page(),
  getInvitation: (k) => k.invitations.get('p'),
  updateInvitation: (k) => k.invitations.update('p', { role: 'admin' }),
  deleteInvitation: (k) => k.invitations.cancel('p'),
  getInvitationInfo: (k) => k.invitations.info('p'),
  listWebhookTopics: (k) => k.webhooks.topics(),
  createWebhook: (k) =>
    k.webhooks.create({ name: 'a', url: 'https://a.example', topics: ['api-key.created'] }),
  listWebhooks: (k) => k.webhooks.list().page(),
  getWebhook: (k) => k.webhooks.get('p'),
  updateWebhook: (k) => k.webhooks.update('p', { name: 'b' }),
  deleteWebhook: (k) => k.webhooks.delete('p'),
  rotateWebhookSecret: (k) => k.webhooks.rotateSecret('p'),
  pingWebhook: (k) => k.webhooks.ping({ url: 'https://a.example' }),
  listWebhookDeliveries: (k) => k.webhooks.deliveries.list('p').page(),
  getWebhookDelivery: (k) => k.webhooks.deliveries.get('p', 'p'),
  retryWebhookDelivery: (k) => k.webhooks.deliveries.retry('p', 'p'),
  startWebhookReplay: (k) => k.webhooks.replay('p', { since: '2030-01-01' }),
  listWebhookReplays: (k) => k.webhooks.replays.list('p').page(),
  getWebhookReplay: (k) => k.webhooks.replays.get('p', 'p'),
  listAuditLogs: (k) => k.auditLogs.list().page(),
  getApiKeyTotals: (k) => k.analytics.apiKeyTotals().page(),
  getProjectTotals: (k) => k.analytics.projectTotals().page(),
  getUsage: (k) => k.analytics.usage({ groupBy: 'outcome', interval: 'day' }).page(),
  exportUsage: (k) =>
    k.analytics.exportUsage({ from: '2030-01-01', to: '2030-02-01', groupBy: 'key' }).page(),
  listRefusals: (k) => k.analytics.refusals().page(),
  reportLeaks: (k) => k.leaks.report({ values: ['v'], source: 'a' }),
  listLeaks: (k) => k.leaks.list().page(),
  // No method: for GitHub, which signs its messages.
  receiveGithubLeaks: (k) => k.call('receiveGithubLeaks', { body: [] }),
  getSignInMethods: (k) => k.signIn.methods(),
  signIn: (k) => k.signIn.withPassword({ email: 'a@b.example', password: 'p' }),
  signInWithTotp: (k) => k.signIn.withTotp({ code: '000000' }),
  signInWithRecoveryCode: (k) => k.signIn.withRecoveryCode({ code: 'c' }),
  beginPasskeySignIn: (k) => k.signIn.passkeyOptions(),
  signInWithPasskey: (k) => k.signIn.withPasskey({ response: {} }),
  getSetupInfo: (k) => k.signIn.setupInfo({ token: 't' }),
  useSetupLink: (k) =>
    k.signIn.setUp({ token: 't', email: 'a@b.example', name: 'a', password: 'p' }),
  beginProviderSignIn: (k) => k.signIn.withProvider({ provider: 'github' }),
  forgetPassword: (k) => k.signIn.forgotPassword({ email: 'a@b.example' }),
  resetPassword: (k) => k.signIn.resetPassword({ token: 't', password: 'p' }),
  linkProvider: (k) => k.me.linkProvider({ provider: 'github' }),
  listLinkedProviders: (k) => k.me.linkedProviders(),
  unlinkProvider: (k) => k.me.unlinkProvider('p'),
  leaveAccount: (k) => k.me.leaveAccount('p'),
  // A browser arrives here through a redirect of the provider.
  finishProviderSignIn: (k) => k.call('finishProviderSignIn', { path: { id: 'p' } }),
  resendInvitation: (k) => k.invitations.resend('p'),
  acceptInvitation: (k) => k.invitations.accept('p', { token: 't' }),
  listTeammates: (k) => k.teammates.list().page(),
  getUserRoles: (k) => k.teammates.roles('p'),
  updateUserRole: (k) => k.teammates.updateRole('p', { role: 'viewer' }),
  deleteUserRole: (k) => k.teammates.remove('p'),
  // For the operator's CLI, which signs its requests.
  createOwnerLink: (k) => k.call('createOwnerLink', { path: { id: 'p' } }),
  createPasswordLink: (k) => k.call('createPasswordLink', { path: { id: 'p' } }),
  deleteSecondFactor: (k) => k.call('deleteSecondFactor', { path: { id: 'p' } }),
  signOut: (k) => k.me.signOut(),
  getMe: (k) => k.me.get(),
  updateMe: (k) => k.me.update({ name: 'b' }),
  changePassword: (k) => k.me.changePassword({ currentPassword: 'p', newPassword: 'q' }),
  listSessions: (k) => k.me.sessions.list(),
  endSession: (k) => k.me.sessions.end('p'),
  endOtherSessions: (k) => k.me.sessions.endOthers(),
  confirmIdentity: (k) => k.me.confirm({ password: 'p' }),
  listPasskeys: (k) => k.me.passkeys.list(),
  beginPasskey: (k) => k.me.passkeys.options(),
  addPasskey: (k) => k.me.passkeys.add({ name: 'a', response: {} }),
  renamePasskey: (k) => k.me.passkeys.rename('p', { name: 'b' }),
  removePasskey: (k) => k.me.passkeys.remove('p'),
  beginTwoFactor: (k) => k.me.twoFactor.begin({ password: 'p' }),
  confirmTwoFactor: (k) => k.me.twoFactor.confirm({ code: '000000' }),
  endTwoFactor: (k) => k.me.twoFactor.disable({ password: 'p' }),
  newRecoveryCodes: (k) => k.me.twoFactor.newRecoveryCodes({ password: 'p' }),
  health: (k) => k.server.health(),
  readiness: (k) => k.server.readiness(),
  product: (k) => k.server.product(),
  getEngines: (k) => k.server.engines(),
};

const description: Description = JSON.parse(
  await readFile(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
);
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({
    operationId,
    method: method.toUpperCase(),
    path: path.replace(/\{\w+\}/g, 'p'),
  })),
);

it('has a row for every operation of the API description, and no others', () => {
  expect(Object.keys(CALLS).toSorted()).toEqual(
    operations.map(({ operationId }) => operationId).toSorted(),
  );
});

it.each(operations)('$operationId sends one request, $method $path', async (operation) => {
  const seen: string[] = [];
  const keyward = new Keyward({
    url: 'http://keyward.example/',
    accessKey: 'live_access_x',
    fetch: async (input, init) => {
      seen.push(`${init?.method} ${new URL(String(input)).pathname}`);
      expect(new Headers(init?.headers).get('x-api-key')).toBe('live_access_x');
      return Response.json([{ valid: false, statusCode: 404, code: 'key_not_found' }]);
    },
  });
  await CALLS[operation.operationId as OperationId](keyward);
  expect(seen).toEqual([`${operation.method} ${operation.path}`]);
});
