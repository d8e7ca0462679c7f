import Type, { type Static } from 'typebox';
import { SCOPES } from '../../kernel/authority.ts';
import {
  AccountOfRequest,
  ExpiryInput,
  GraceSeconds,
  Id,
  Name,
  nullable,
  PageQuery,
  RateLimit,
  RateLimitConfigs,
  RateLimitConfigsUpdate,
  RateLimitTtl,
  Rotation,
  strict,
  Time,
} from '../../kernel/schemas.ts';

const scopes = (description: string) =>
  Type.Array(Type.Enum([...SCOPES, '*']), {
    minItems: 1,
    maxItems: SCOPES.length + 1,
    uniqueItems: true,
    description,
  });

const Scopes = scopes(
  'The permissions of the access key. `*` allows everything in its account or project.',
);

export const AccessKey = Type.Object(
  {
    id: Id('ak', 'the access key'),
    name: Name,
    key: Type.String({
      description:
        'The value of the access key. Shown in full only in the response that creates it, and masked in all others.',
      examples: ['account_access_AbCdEf*********'],
    }),
    accountId: Id('acc', 'its account'),
    projectId: nullable(Id('prj', 'its project (`null`: the whole account)')),
    scopes: Scopes,
    isActive: Type.Boolean(),
    expiresAt: nullable(Time),
    rateLimitConfigs: nullable(RateLimitConfigs),
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
    name: Name,
    accountId: AccountOfRequest,
    projectId: Type.Optional(
      nullable(
        Id('prj', 'its project (`null`: the whole account; default: the project of the caller)'),
      ),
    ),
    scopes: Type.Optional(
      scopes(
        'The permissions of the access key. Default: `*`, which allows everything in its account or project.',
      ),
    ),
    expiry: Type.Optional(nullable(ExpiryInput)),
    rateLimitConfigs: Type.Optional(nullable(RateLimitConfigs)),
    rateLimit: Type.Optional(RateLimit),
    rateLimitTtl: Type.Optional(RateLimitTtl),
  },
  'CreateAccessKey',
);
export type CreateAccessKey = Static<typeof CreateAccessKey>;

export const UpdateAccessKey = Type.Object(
  {
    name: Type.Optional(Name),
    scopes: Type.Optional(Scopes),
    expiry: Type.Optional(nullable(ExpiryInput)),
    rateLimitConfigs: Type.Optional(RateLimitConfigsUpdate),
  },
  { additionalProperties: false, minProperties: 1, title: 'UpdateAccessKey' },
);
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
