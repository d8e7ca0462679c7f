import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import Type, { type Static } from 'typebox';
import { Id, PageQuery, someOf, strict, Time, titled } from '../../kernel/schemas.ts';
import { customerUsageFields } from '../analytics/index.ts';
import { StatementQuery } from '../credits/index.ts';
import { createSchemas, filterSchemas, outputSchemas, updateSchemas } from '../fields/index.ts';

const { customAccountId, ...createSettings } = createSchemas(CUSTOMER);

export const Customer = Type.Object(
  {
    id: Id('cus', 'the customer'),
    projectId: Id('prj', 'its project'),
    ...outputSchemas(CUSTOMER),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Customer' },
);
export type Customer = Static<typeof Customer>;

export const CreateCustomer = strict(
  {
    customAccountId,
    projectId: Type.Optional(Id('prj', 'the project of the customer')),
    ...createSettings,
  },
  'CreateCustomer',
);
export type CreateCustomer = Static<typeof CreateCustomer>;

export const UpdateCustomer = someOf(updateSchemas(CUSTOMER), 'UpdateCustomer');
export type UpdateCustomer = Static<typeof UpdateCustomer>;

export const CustomerParams = strict({
  id: Type.String({
    title: 'CustomerId',
    minLength: 1,
    maxLength: 256,
    description:
      'Id of the customer: `cus_…`. With `projectId` in the query: its `customAccountId`.',
  }),
});
export type CustomerParams = Static<typeof CustomerParams>;

const customerQuery = {
  projectId: Type.Optional(
    titled(
      'CustomerProjectId',
      Id('prj', 'the project, if the path contains a `customAccountId` instead of an id'),
    ),
  ),
};

export const CustomerQuery = strict(customerQuery);
export type CustomerQuery = Static<typeof CustomerQuery>;

export const CustomerKeysQuery = strict({ ...customerQuery, ...PageQuery });

export const CustomerStatementQuery = strict({ ...StatementQuery.properties, ...customerQuery });

export const CustomerUsageQuery = strict({ ...customerUsageFields, ...customerQuery });

export const ListCustomers = strict({
  projectId: Type.Optional(Id('prj', 'the project')),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'A part of `customAccountId`, name or e-mail address, ignoring the case of A–Z; or the id.',
      examples: ['acme'],
    }),
  ),
  ...filterSchemas(CUSTOMER, { one: 'customer', many: 'customers' }),
  ...PageQuery,
});
export type ListCustomers = Static<typeof ListCustomers>;
