import type { Route } from '../../../kernel/route.ts';
import { type Notation, partsOf, sampleRequest, written } from './request.ts';

const text = (content: string): string => {
  const parts = partsOf(content);
  return parts.length === 1
    ? `'${content.replaceAll("'", String.raw`\'`)}'`
    : `\`${parts.map((part, place) => (place % 2 === 1 ? `\${process.env.${part}}` : part)).join('')}\``;
};

const property = (name: string): string => (/^[A-Za-z]\w*$/.test(name) ? name : text(name));

const TYPESCRIPT: Notation = {
  variable: (name) => `process.env.${name}!`,
  name: property,
  text,
};

const SENT_BY_SDK = ['x-api-key', 'content-type'];

/** With the SDK, or with `fetch` for other credentials than an access key, and for what the SDK does not send. */
export function typescript(route: Route): string {
  const isForSdk = sampleRequest(route).headers.every(([name]) => SENT_BY_SDK.includes(name));
  return isForSdk && !route.stream ? withSdk(route) : withFetch(route);
}

const withSdk = (route: Route): string => `import { Keyward } from 'keyward';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL!,
  accessKey: process.env.KEYWARD_ACCESS_KEY!,
});
console.log(await ${callOf(route)});`;

function callOf({ operationId, list, example = {} }: Route): string {
  const { params, query, body } = example;
  const method = METHODS[operationId];
  if (method === undefined) {
    const input = {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(body !== undefined && { body }),
    };
    return `keyward.call(${text(operationId)}, ${written(input, TYPESCRIPT)})`;
  }
  const input = body ?? query;
  const values = [...Object.values(params ?? {}), ...(input === undefined ? [] : [input])];
  const call = `keyward.${method}(${values.map((value) => written(value, TYPESCRIPT)).join(', ')})`;
  return list ? `${call}.page()` : call;
}

/** The methods of the SDK that take the parts of the path, and then the body or the query. Other operations have `call`. */
const METHODS: Readonly<Record<string, string>> = {
  createApiKey: 'apiKeys.create',
  listApiKeys: 'apiKeys.list',
  countApiKeys: 'apiKeys.count',
  getApiKey: 'apiKeys.get',
  updateApiKey: 'apiKeys.update',
  deleteApiKey: 'apiKeys.revoke',
  reactivateApiKey: 'apiKeys.reactivate',
  changeApiKeyCredits: 'apiKeys.changeCredits',
  rotateApiKey: 'apiKeys.rotate',
  importApiKeys: 'apiKeys.import',
  explainApiKey: 'apiKeys.explain',
  createPlan: 'plans.create',
  listPlans: 'plans.list',
  getPlan: 'plans.get',
  updatePlan: 'plans.update',
  deletePlan: 'plans.delete',
  previewPlan: 'plans.preview',
  createCustomer: 'customers.create',
  listCustomers: 'customers.list',
  getCustomer: 'customers.get',
  updateCustomer: 'customers.update',
  deleteCustomer: 'customers.delete',
  changeCustomerCredits: 'customers.changeCredits',
  listCustomerKeys: 'customers.keys',
  getCustomerUsage: 'customers.usage',
  importCustomers: 'customers.import',
  createPortalSession: 'portalSessions.create',
  listPortalSessions: 'portalSessions.list',
  getPortalSession: 'portalSessions.get',
  deletePortalSession: 'portalSessions.delete',
  createAccessKey: 'accessKeys.create',
  listAccessKeys: 'accessKeys.list',
  getAccessKey: 'accessKeys.get',
  updateAccessKey: 'accessKeys.update',
  deleteAccessKey: 'accessKeys.revoke',
  reactivateAccessKey: 'accessKeys.reactivate',
  rotateAccessKey: 'accessKeys.rotate',
  createProject: 'projects.create',
  listProjects: 'projects.list',
  getProject: 'projects.get',
  updateProject: 'projects.update',
  deleteProject: 'projects.deactivate',
  reactivateProject: 'projects.reactivate',
  createAccount: 'accounts.create',
  listAccounts: 'accounts.list',
  getAccount: 'accounts.get',
  updateAccount: 'accounts.update',
  createInvitations: 'invitations.create',
  listInvitations: 'invitations.list',
  getInvitation: 'invitations.get',
  updateInvitation: 'invitations.update',
  deleteInvitation: 'invitations.cancel',
  getInvitationInfo: 'invitations.info',
  resendInvitation: 'invitations.resend',
  listWebhookTopics: 'webhooks.topics',
  createWebhook: 'webhooks.create',
  listWebhooks: 'webhooks.list',
  getWebhook: 'webhooks.get',
  updateWebhook: 'webhooks.update',
  deleteWebhook: 'webhooks.delete',
  rotateWebhookSecret: 'webhooks.rotateSecret',
  pingWebhook: 'webhooks.ping',
  listWebhookDeliveries: 'webhooks.deliveries.list',
  getWebhookDelivery: 'webhooks.deliveries.get',
  retryWebhookDelivery: 'webhooks.deliveries.retry',
  startWebhookReplay: 'webhooks.replay',
  listWebhookReplays: 'webhooks.replays.list',
  getWebhookReplay: 'webhooks.replays.get',
  listAuditLogs: 'auditLogs.list',
  getApiKeyTotals: 'analytics.apiKeyTotals',
  getProjectTotals: 'analytics.projectTotals',
  getUsage: 'analytics.usage',
  listRefusals: 'analytics.refusals',
  reportLeaks: 'leaks.report',
  listLeaks: 'leaks.list',
  listTeammates: 'teammates.list',
  getUserRoles: 'teammates.roles',
  updateUserRole: 'teammates.updateRole',
  deleteUserRole: 'teammates.remove',
  health: 'server.health',
  readiness: 'server.readiness',
  product: 'server.product',
  getEngines: 'server.engines',
};

function withFetch(route: Route): string {
  const { method, path, headers, body } = sampleRequest(route);
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0
      ? []
      : [
          '  headers: {',
          ...headers.map(([name, value]) => `    ${property(name)}: ${headerValue(value)},`),
          '  },',
        ]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${written(body, TYPESCRIPT, '  ')}),`]),
  ];
  return `const response = await fetch(${[text(`$KEYWARD_URL${path}`), ...(options.length > 0 ? [`{\n${options.join('\n')}\n}`] : [])].join(', ')});
console.log(await response.text());`;
}

const headerValue = (value: string): string =>
  partsOf(value).join('') === value.slice(1) && value.startsWith('$')
    ? TYPESCRIPT.variable(value.slice(1))
    : text(value);
