import Type, { type Static } from 'typebox';
import {
  CustomId,
  Id,
  Metadata,
  Name,
  nullable,
  PageQuery,
  strict,
  Time,
  titled,
} from '../../kernel/schemas.ts';
import { customerUsageFields } from '../analytics/index.ts';
import { Credits, CreditsInput } from '../credits/index.ts';
import { levelFields, levelInput, Tags } from '../policies/index.ts';

const Email = Type.String({
  minLength: 3,
  maxLength: 320,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  description: 'For display. Keyward sends nothing to this address.',
});

const CustomAccountId = {
  ...CustomId,
  description: 'Your own id of the customer: the `customAccountId` of its keys.',
};

export const Customer = Type.Object(
  {
    id: Id('cus', 'the customer'),
    projectId: Id('prj', 'its project'),
    customAccountId: CustomAccountId,
    name: nullable(Name),
    email: nullable(Email),
    planId: nullable(Id('pln', 'the plan of its keys without a plan of their own')),
    customMetaData: Metadata,
    tags: Tags,
    ...levelFields,
    credits: nullable(Credits),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Customer' },
);
export type Customer = Static<typeof Customer>;

const settings = {
  name: Type.Optional(nullable(Name)),
  email: Type.Optional(nullable(Email)),
  planId: Type.Optional(nullable(Id('pln', 'a plan of the same project'))),
  customMetaData: Type.Optional(Metadata),
  tags: Type.Optional(nullable(Tags)),
  ...levelInput,
  credits: Type.Optional(
    Type.Union([CreditsInput, Type.Null()], {
      description: 'Shared by all keys of the customer. Needs the scope `credits:write` too.',
    }),
  ),
};

export const CreateCustomer = strict(
  {
    customAccountId: CustomAccountId,
    projectId: Type.Optional(Id('prj', 'the project of the customer')),
    ...settings,
  },
  'CreateCustomer',
);
export type CreateCustomer = Static<typeof CreateCustomer>;

export const UpdateCustomer = Type.Object(settings, {
  additionalProperties: false,
  minProperties: 1,
  title: 'UpdateCustomer',
});
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
  tag: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 16,
      description:
        'Customers with this tag. Repeat it to find those that have all of several tags.',
    }),
  ),
  planId: Type.Optional(Id('pln', 'the plan set on the customer itself')),
  ...PageQuery,
});
export type ListCustomers = Static<typeof ListCustomers>;
