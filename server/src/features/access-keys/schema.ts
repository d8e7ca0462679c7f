import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import Type, { type Static } from 'typebox';
import {
  AccountOfRequest,
  GraceSeconds,
  Id,
  nullable,
  PageQuery,
  RateLimit,
  RateLimitTtl,
  Rotation,
  someOf,
  strict,
  Time,
} from '../../kernel/schemas.ts';
import { createSchemas, outputSchemas, updateSchemas } from '../fields/index.ts';

const { name, scopes, ...fields } = outputSchemas(ACCESS_KEY);
const { name: _, ...createSettings } = createSchemas(ACCESS_KEY);

export const AccessKey = Type.Object(
  {
    id: Id('ak', 'the access key'),
    name,
    key: Type.String({
      description:
        'The value of the access key. Shown in full only in the response that creates it, and masked in all others.',
      examples: ['account_access_AbCdEf*********'],
    }),
    accountId: Id('acc', 'its account'),
    projectId: nullable(Id('prj', 'its project (`null`: the whole account)')),
    scopes,
    isActive: Type.Boolean(),
    ...fields,
    lastUsedAt: nullable(Time),
    createdAt: Time,
    updatedAt: Time,
    ...Rotation('ak'),
  },
  { title: 'AccessKey' },
);
export type AccessKey = Static<typeof AccessKey>;

export const CreateAccessKey = strict(
  {
    name,
    accountId: AccountOfRequest,
    projectId: Type.Optional(
      nullable(
        Id('prj', 'its project (`null`: the whole account; default: the project of the caller)'),
      ),
    ),
    ...createSettings,
    rateLimit: Type.Optional(RateLimit),
    rateLimitTtl: Type.Optional(RateLimitTtl),
  },
  'CreateAccessKey',
);
export type CreateAccessKey = Static<typeof CreateAccessKey>;

export const UpdateAccessKey = someOf(updateSchemas(ACCESS_KEY), 'UpdateAccessKey');
export type UpdateAccessKey = Static<typeof UpdateAccessKey>;

export const RotateAccessKey = Type.Optional(
  strict({ graceSeconds: Type.Optional(GraceSeconds) }, 'RotateKey'),
);

export const AccessKeyParams = strict({
  key: Type.String({
    title: 'AccessKey',
    minLength: 1,
    description: 'The value of the access key, or its id (`ak_…`).',
  }),
});

export const ListAccessKeys = strict({
  accountId: AccountOfRequest,
  projectId: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'Only access keys of this project. Use the text `null` for account-level access keys.',
    }),
  ),
  isActive: Type.Optional(Type.Boolean()),
  ...PageQuery,
});
export type ListAccessKeys = Static<typeof ListAccessKeys>;
