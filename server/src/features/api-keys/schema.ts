import Type, { type Static } from 'typebox';
import {
  CustomId,
  ExpiryInput,
  GraceSeconds,
  Id,
  Name,
  nullable,
  PageQuery,
  RateLimitConfigs,
  Rotation,
  strict,
  Time,
} from '../../kernel/schemas.ts';

const SORTS = ['createdAt', 'name', 'expiresAt', 'lastUsedAt'] as const;
const ORDERS = ['ascending', 'descending'] as const;

export const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Anything you like, up to 16 KB and 32 levels.',
  examples: [{ plan: 'pro' }],
});

export const AllowedDomains = Type.Array(
  Type.String({ minLength: 1, maxLength: 260, examples: ['app.example.com', '*.example.com'] }),
  {
    minItems: 1,
    maxItems: 100,
    description:
      'Hosts from which the key may be used, checked against the header `x-origin-domain`.',
  },
);

export const KeyValue = Type.String({
  minLength: 8,
  maxLength: 256,
  pattern: '^[A-Za-z0-9._~-]+$',
  description: 'Your own value for the key: 8 to 256 characters of `A-Z a-z 0-9 . _ ~ -`.',
});

/** The result of a validation: the twelve fields of the original API, and three of ours. */
const validatedFields = {
  id: Id('key', 'the key'),
  projectId: Id('prj', 'its project'),
  key: Type.String({
    description: 'The value: whole in the answer that made it, masked everywhere else.',
    examples: ['live_AbCdEf*********'],
  }),
  name: Name,
  customMetaData: Metadata,
  customAccountId: nullable(CustomId),
  customUserId: nullable(CustomId),
  env: Type.Union([Type.Literal('live'), Type.Literal('test')], {
    description: 'The environment of the project.',
  }),
  createdAt: Time,
  updatedAt: Time,
  isActive: Type.Boolean(),
  expiresAt: nullable(Time),
  rateLimitConfigs: nullable(RateLimitConfigs),
  creationContext: Type.Object(
    {
      clientIP: Type.Optional(Type.String()),
      clientUserAgent: Type.Optional(Type.String()),
      importId: Type.Optional(Id('imp', 'the import that brought the key')),
    },
    {
      description:
        'Whom the key was made for, as told at its creation; of an imported key, which import brought it.',
    },
  ),
  allowedDomains: nullable(AllowedDomains),
};

export const ValidatedKey = Type.Object(validatedFields, { title: 'ValidatedKey' });
export type ValidatedKey = Static<typeof ValidatedKey>;

export const ApiKey = Type.Object(
  {
    ...validatedFields,
    firstUsedAt: nullable(Time),
    lastUsedAt: nullable(Time),
    ...Rotation('key'),
  },
  { title: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

export const CreateApiKey = strict(
  {
    name: Name,
    projectId: Type.Optional(Id('prj', 'the project that gets the key')),
    key: Type.Optional(KeyValue),
    customMetaData: Type.Optional(Metadata),
    customAccountId: Type.Optional(nullable(CustomId)),
    customUserId: Type.Optional(nullable(CustomId)),
    expiry: Type.Optional(nullable(ExpiryInput)),
    rateLimitConfigs: Type.Optional(nullable(RateLimitConfigs)),
    allowedDomains: Type.Optional(nullable(AllowedDomains)),
    clientIP: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    clientUserAgent: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  },
  'CreateApiKey',
);
export type CreateApiKey = Static<typeof CreateApiKey>;

export const UpdateApiKey = strict(
  {
    name: Name,
    key: Type.Optional(KeyValue),
    customMetaData: Type.Optional(Metadata),
    customAccountId: Type.Optional(nullable(CustomId)),
    customUserId: Type.Optional(nullable(CustomId)),
    expiry: Type.Optional(nullable(ExpiryInput)),
    rateLimitConfigs: Type.Optional(nullable(RateLimitConfigs)),
    allowedDomains: Type.Optional(nullable(AllowedDomains)),
  },
  'UpdateApiKey',
);
export type UpdateApiKey = Static<typeof UpdateApiKey>;

export const RotateApiKey = Type.Optional(
  strict({ graceSeconds: Type.Optional(GraceSeconds) }, 'RotateKey'),
);

export const KeyParams = strict({
  key: Type.String({
    minLength: 1,
    description: 'The value of the key, or its id (`key_…`).',
  }),
});

const Moment = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 40,
    description: `${description} An ISO 8601 date-time, a date, or \`YYYY-MM-DD HH:mm:ss\`; without an offset it is UTC.`,
    examples: ['2030-01-01T00:00:00Z'],
  });

const NullText = { description: 'The text `null` means unset.' };

const keyFilters = {
  projectId: Type.Optional(Id('prj', 'the project')),
  name: Type.Optional(Type.String({ maxLength: 256, description: 'Exactly this name.' })),
  customAccountId: Type.Optional(Type.String({ maxLength: 256, ...NullText })),
  customUserId: Type.Optional(Type.String({ maxLength: 256, ...NullText })),
  isActive: Type.Optional(Type.Boolean()),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'In the name, `customAccountId` or `customUserId`, large or small letters alike; or how the value begins, or the id.',
      examples: ['acme'],
    }),
  ),
  limited: Type.Optional(Type.Boolean({ description: 'Whether it carries a rate limit.' })),
  expiresAfter: Type.Optional(Moment('Expires after this time, or never.')),
  expiresBefore: Type.Optional(Moment('Expires at this time or before.')),
};

export const ListApiKeys = strict({
  ...keyFilters,
  sort: Type.Optional(
    Type.Unsafe<(typeof SORTS)[number]>({
      type: 'string',
      enum: [...SORTS],
      description: 'Default: `createdAt`. Keys without such a time come last.',
    }),
  ),
  order: Type.Optional(
    Type.Unsafe<(typeof ORDERS)[number]>({
      type: 'string',
      enum: [...ORDERS],
      description: 'Default: `ascending` by `name` and `expiresAt`, else `descending`.',
    }),
  ),
  limit: PageQuery.limit,
  offset: PageQuery.offset,
  // Longer than in other lists: the cursor of a list sorted by name contains the name.
  cursor: Type.Optional(
    Type.String({ maxLength: 2048, description: 'From the `Link` header of the page before.' }),
  ),
});
export type ListApiKeys = Static<typeof ListApiKeys>;

export const CountApiKeys = strict(keyFilters);
export type CountApiKeys = Static<typeof CountApiKeys>;

/** Bounds the work of a count: reading 100,000 keys takes about a tenth of a second. */
export const COUNT_MAX = 100_000;

export const ApiKeyCount = Type.Object(
  {
    count: Type.Integer({ minimum: 0, maximum: COUNT_MAX }),
    isExact: Type.Boolean({
      description: `\`false\`: there are more than the ${COUNT_MAX.toLocaleString('en')} that were counted.`,
    }),
  },
  { title: 'ApiKeyCount' },
);
export type ApiKeyCount = Static<typeof ApiKeyCount>;

export const DeleteApiKeyQuery = strict({
  permanent: Type.Optional(
    Type.Boolean({
      description:
        '`true` erases the key, its usage and what an Idempotency-Key kept; the audit log keeps its masked record.',
    }),
  ),
});
