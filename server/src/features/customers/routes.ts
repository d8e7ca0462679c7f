import { IMPORT_BODY_BYTES_MAX } from '../../kernel/import-limits.ts';
import { defineRoute, type Route } from '../../kernel/route.ts';
import { Deleted, deleted, nullable } from '../../kernel/schemas.ts';
import { type AnalyticsService, columnsOf, UsageRow } from '../analytics/index.ts';
import { ApiKey, type KeyReader } from '../api-keys/index.ts';
import {
  ChangeCredits,
  ChangedCredits,
  CreditStatement,
  CreditsWithGrants,
  STATEMENT_EXAMPLE,
} from '../credits/index.ts';
import type { CustomerImporter } from './import/importer.ts';
import {
  DescribedImportCustomers,
  ImportCustomers,
  ImportCustomersResult,
} from './import/schema.ts';
import {
  CreateCustomer,
  Customer,
  CustomerKeysQuery,
  CustomerParams,
  CustomerQuery,
  CustomerStatementQuery,
  CustomerUsageQuery,
  ListCustomers,
  UpdateCustomer,
} from './schema.ts';
import type { CustomerPath, CustomerService } from './service.ts';

/** The path and the query together name a customer. */
const pathOf = (call: { params: CustomerParams; query: CustomerQuery }): CustomerPath => ({
  ...call.params,
  ...(call.query.projectId !== undefined && { projectId: call.query.projectId }),
});

export const customerRoutes = (
  service: CustomerService,
  importer: CustomerImporter,
  keys: KeyReader,
  analytics: AnalyticsService,
): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/customers',
    operationId: 'createCustomer',
    tag: 'customers',
    summary: 'Create a customer',
    description:
      'A customer gives its settings to all keys of the project with the same `customAccountId`, existing and new ones. `projectId` defaults to the project of the access key, or to the only active project of the account.',
    example: {
      body: {
        customAccountId: 'acme',
        name: 'Acme Inc.',
        email: 'ops@acme.example',
        credits: { remaining: 10_000 },
      },
      keeps: ['CUSTOMER_ID', 'id'],
    },
    access: 'customers:write',
    body: CreateCustomer,
    reply: Customer,
    status: 201,
    creates: true,
    errors: [
      'project_required',
      'project_not_found',
      'project_inactive',
      'plan_not_found',
      'customer_exists',
    ],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  }),
  defineRoute({
    method: 'GET',
    path: '/customers',
    operationId: 'listCustomers',
    tag: 'customers',
    summary: 'List customers, newest first',
    description: 'A customer must match all filters.',
    example: { query: { limit: 10 } },
    access: 'customers:read',
    query: ListCustomers,
    reply: Customer,
    status: 200,
    list: true,
    handle: ({ actor, query }) => service.list(actor.principal, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/customers/:id',
    operationId: 'getCustomer',
    tag: 'customers',
    summary: 'Retrieve a customer',
    description:
      '`id` is the id of the customer, or its `customAccountId` together with `projectId` in the query.',
    example: { params: { id: '$CUSTOMER_ID' } },
    access: 'customers:read',
    params: CustomerParams,
    query: CustomerQuery,
    reply: Customer,
    status: 200,
    errors: ['customer_not_found'],
    handle: (call) => service.get(call.actor.principal, pathOf(call)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/customers/:id',
    operationId: 'updateCustomer',
    tag: 'customers',
    summary: 'Update a customer',
    description:
      'Fields that you omit are not changed, and `null` clears a field. `customMetaData` is replaced as a whole. The change applies at once to all keys of the customer.',
    example: { params: { id: '$CUSTOMER_ID' }, body: { name: 'Acme Corporation' } },
    access: 'customers:write',
    params: CustomerParams,
    query: CustomerQuery,
    body: UpdateCustomer,
    reply: Customer,
    status: 200,
    updates: true,
    errors: ['customer_not_found', 'plan_not_found'],
    handle: (call) => service.update(call.actor, pathOf(call), call.body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/customers/:id',
    operationId: 'deleteCustomer',
    tag: 'customers',
    summary: 'Delete a customer',
    description:
      'Its keys stay, without the settings of the customer. Its credits are deleted, which needs the scope `credits:write` too.',
    example: { params: { id: '$CUSTOMER_ID' } },
    access: 'customers:write',
    params: CustomerParams,
    query: CustomerQuery,
    reply: Deleted,
    status: 200,
    errors: ['customer_not_found'],
    handle: (call) => deleted(service.delete(call.actor, pathOf(call))),
  }),
  defineRoute({
    method: 'POST',
    path: '/customers/:id/credits',
    operationId: 'changeCustomerCredits',
    tag: 'customers',
    summary: 'Add or set credits of a customer',
    description:
      'Send either `add` or `set`. Creates the credits if there are none. The change is stored when the response arrives.',
    example: { params: { id: '$CUSTOMER_ID' }, body: { add: 500 } },
    access: 'credits:write',
    params: CustomerParams,
    query: CustomerQuery,
    body: ChangeCredits,
    reply: ChangedCredits,
    status: 200,
    creates: true,
    errors: ['customer_not_found'],
    handle: (call) => service.changeCredits(call.actor, pathOf(call), call.body, call.idempotency),
  }),
  defineRoute({
    method: 'GET',
    path: '/customers/:id/credits',
    operationId: 'getCustomerCredits',
    tag: 'customers',
    summary: 'Retrieve the credits of a customer',
    description:
      'With the grants that have credits left, in the order in which they are spent. `null`: it has no credits of its own.',
    example: { params: { id: '$CUSTOMER_ID' } },
    access: 'customers:read',
    params: CustomerParams,
    query: CustomerQuery,
    reply: nullable(CreditsWithGrants),
    status: 200,
    errors: ['customer_not_found'],
    handle: (call) => service.credits(call.actor.principal, pathOf(call)),
  }),
  defineRoute({
    method: 'GET',
    path: '/customers/:id/credits/statement',
    operationId: 'getCustomerCreditStatement',
    tag: 'customers',
    summary: 'Retrieve the statement of credits of a customer',
    description:
      'What was granted, spent, expired and taken away in a period of whole days, and the balances before and after. They always add up. Begins with the upgrade to the version that has statements.',
    example: {
      params: { id: '$CUSTOMER_ID' },
      query: { from: '2030-01-01', to: '2030-01-31' },
      response: STATEMENT_EXAMPLE,
    },
    access: 'customers:read',
    params: CustomerParams,
    query: CustomerStatementQuery,
    reply: CreditStatement,
    status: 200,
    errors: ['customer_not_found', 'query_too_large'],
    handle: (call) => service.statement(call.actor.principal, pathOf(call), call.query),
  }),
  defineRoute({
    method: 'GET',
    path: '/customers/:id/keys',
    operationId: 'listCustomerKeys',
    tag: 'customers',
    summary: 'List the keys of a customer, newest first',
    description: 'Also needs the scope `customers:read`.',
    example: { params: { id: '$CUSTOMER_ID' }, query: { limit: 10 } },
    access: 'keys:read',
    params: CustomerParams,
    query: CustomerKeysQuery,
    reply: ApiKey,
    status: 200,
    list: true,
    errors: ['customer_not_found'],
    async handle(call) {
      const { principal } = call.actor;
      const customer = await service.find(principal, 'customers:read', pathOf(call));
      const { projectId: _, ...page } = call.query;
      return keys.list(principal, {
        ...page,
        projectId: customer.project_id,
        customAccountId: customer.custom_account_id,
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/customers/:id/usage',
    operationId: 'getCustomerUsage',
    tag: 'customers',
    summary: 'Count the validations of a customer over time',
    description:
      'Like `GET /analytics/usage` for all keys of the customer. Also needs the scope `customers:read`.',
    example: { params: { id: '$CUSTOMER_ID' }, query: { groupBy: 'outcome', interval: 'day' } },
    access: 'analytics:read',
    params: CustomerParams,
    query: CustomerUsageQuery,
    reply: UsageRow,
    status: 200,
    list: true,
    csv: columnsOf(UsageRow),
    errors: ['customer_not_found', 'key_not_found', 'query_too_large'],
    async handle(call) {
      const { principal } = call.actor;
      const customer = await service.find(principal, 'customers:read', pathOf(call));
      const { projectId: _, ...query } = call.query;
      const named = { projectId: customer.project_id, customAccountId: customer.custom_account_id };
      return analytics.customerUsage(principal, named, query);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/customers/import',
    operationId: 'importCustomers',
    tag: 'customers',
    summary: 'Import customers',
    description:
      'Imports up to 1,000 rows and 1 MB per request, and 128 KB for each row. A row has the fields of a new customer. An invalid row does not affect the others. Repeating a request is safe: existing customers are returned as `exists` and not changed.',
    example: { body: { customers: [{ customAccountId: 'globex', name: 'Globex' }] } },
    access: 'customers:write',
    body: ImportCustomers,
    describedBody: DescribedImportCustomers,
    bodyBytesMax: IMPORT_BODY_BYTES_MAX,
    reply: ImportCustomersResult,
    status: 200,
    errors: ['project_required', 'project_not_found', 'project_inactive', 'plan_not_found'],
    handle: ({ actor, body }) => importer.run(actor, body),
  }),
];
