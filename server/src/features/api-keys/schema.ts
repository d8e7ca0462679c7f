import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import Type, { type Static } from 'typebox';
import { KEY_CHARACTERS } from '../../kernel/json/check-value.ts';
import {
  GraceSeconds,
  Id,
  nullable,
  Rotation,
  SortedPageQuery,
  someOf,
  strict,
  Time,
  TimeInput,
} from '../../kernel/schemas.ts';
import { Credits, CreditsLeft } from '../credits/index.ts';
import { createSchemas, filterSchemas, outputSchemas, updateSchemas } from '../fields/index.ts';
import { Permissions } from '../policies/index.ts';

const SORTS = ['createdAt', 'name', 'expiresAt', 'lastUsedAt'] as const;
const ORDERS = ['ascending', 'descending'] as const;

export const KeyValue = Type.String({
  minLength: 8,
  maxLength: 256,
  pattern: KEY_CHARACTERS,
  description: 'Your own value for the key: 8 to 256 characters of `A-Z a-z 0-9 . _ ~ -`.',
});

const outputs = outputSchemas(API_KEY);
export const { name, ...createSettings } = createSchemas(API_KEY);

/**
 * The fields of a validated key: the twelve of theauthapi, with which the API is compatible, and three of our
 * own.
 */
export const validatedFields = {
  id: Id('key', 'the key'),
  projectId: Id('prj', 'its project'),
  key: Type.String({
    description:
      'The value of the key. Shown in full only in the response to the request that sets it, and masked in all others.',
    examples: ['live_AbCdEf*********'],
  }),
  name: outputs.name,
  customMetaData: outputs.customMetaData,
  customAccountId: outputs.customAccountId,
  customUserId: outputs.customUserId,
  env: Type.Union([Type.Literal('live'), Type.Literal('test')], {
    description: 'The environment of the project.',
  }),
  createdAt: Time,
  updatedAt: Time,
  isActive: Type.Boolean(),
  expiresAt: outputs.expiresAt,
  rateLimitConfigs: outputs.rateLimitConfigs,
  creationContext: Type.Object(
    {
      clientIP: Type.Optional(Type.String()),
      clientUserAgent: Type.Optional(Type.String()),
      importId: Type.Optional(Id('imp', 'the import that created the key')),
    },
    {
      description:
        'The client that the key was created for, as sent when the key was created. For an imported key, the import.',
    },
  ),
  allowedDomains: outputs.allowedDomains,
};

/** The limits of a key after a validation. */
export const RateLimits = Type.Array(
  Type.Object(
    {
      name: Type.String({ examples: ['day'] }),
      limit: Type.Integer(),
      remaining: Type.Integer(),
      reset: Type.Integer({
        description:
          'UTC epoch seconds: when the window closes; for a sliding window, when another request of this cost fits.',
      }),
      exceeded: Type.Boolean({ description: 'Whether the cost did not fit.' }),
    },
    { title: 'LimitState' },
  ),
);

export const ValidatedKey = Type.Object(
  {
    ...validatedFields,
    permissions: Type.Optional({ ...Permissions, description: 'Only if the key has any.' }),
    credits: Type.Optional(CreditsLeft),
    rateLimits: Type.Optional({
      ...RateLimits,
      description:
        'Only if the key has `limits`. `rateLimitConfigs` is then listed too, with the name `default`.',
    }),
  },
  { title: 'ValidatedKey' },
);
export type ValidatedKey = Static<typeof ValidatedKey>;

export const ApiKey = Type.Object(
  {
    ...validatedFields,
    ...outputs,
    firstUsedAt: nullable(Time),
    lastUsedAt: nullable(Time),
    ...Rotation('key'),
  },
  { title: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

const LevelName = Type.Union([Type.Literal('key'), Type.Literal('customer'), Type.Literal('plan')]);

/** What applies to a key, and on which level it is set. */
const Effective = Type.Object(
  {
    planId: nullable(Id('pln', 'the plan of the key')),
    permissions: outputs.permissions,
    limits: outputs.limits,
    allowedIPs: outputs.allowedIPs,
    credits: nullable(Credits),
    levels: Type.Object({
      planId: Type.Union(
        [Type.Literal('key'), Type.Literal('customer'), Type.Literal('project'), Type.Null()],
        { description: 'Where the plan is chosen.' },
      ),
      permissions: nullable(LevelName),
      limits: Type.Record(Type.String(), LevelName, { description: 'By name of the limit.' }),
      credits: nullable(LevelName),
      allowedIPs: nullable(LevelName),
    }),
  },
  {
    title: 'EffectivePolicies',
    description:
      'Only with `effective=true`: the settings that apply to the key, including those of its customer and plan.',
  },
);

export const ApiKeyWithLevels = Type.Object(
  { ...ApiKey.properties, effective: Type.Optional(Effective) },
  { title: 'ApiKeyWithLevels' },
);
export type ApiKeyWithLevels = Static<typeof ApiKeyWithLevels>;

export const GetApiKeyQuery = strict({
  effective: Type.Optional(
    Type.Boolean({
      description:
        '`true` adds `effective`: all settings that apply to the key, including those of its customer and plan.',
    }),
  ),
});

export const CreateApiKey = strict(
  {
    name,
    projectId: Type.Optional(Id('prj', 'the project of the key')),
    key: Type.Optional(KeyValue),
    ...createSettings,
    clientIP: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    clientUserAgent: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  },
  'CreateApiKey',
);
export type CreateApiKey = Static<typeof CreateApiKey>;

const { name: newName, ...updateSettings } = updateSchemas(API_KEY);
const changes = { key: Type.Optional(KeyValue), ...updateSettings };

/** As in the API of theauthapi, an update requires the name, unless it is sent as a merge patch. */
export const UpdateApiKey = strict({ name, ...changes }, 'UpdateApiKey');
export const PatchApiKey = someOf({ name: newName, ...changes }, 'PatchApiKey');
export type PatchApiKey = Static<typeof PatchApiKey>;

export const RotateApiKey = Type.Optional(
  strict({ graceSeconds: Type.Optional(GraceSeconds) }, 'RotateKey'),
);

export const KeyParams = strict({
  key: Type.String({
    title: 'ApiKey',
    minLength: 1,
    description: 'The value of the key, or its id (`key_…`).',
  }),
});

const keyFilters = {
  projectId: Type.Optional(Id('prj', 'the project')),
  ...filterSchemas(API_KEY, { one: 'key', many: 'keys' }),
  isActive: Type.Optional(Type.Boolean()),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'A part of the name, `customAccountId` or `customUserId`, ignoring the case of A–Z; or the beginning of the value, no longer than the masked value shows; or the id. A page compares at most 5,000 keys: it can be short, or empty, while `Link` names the next one.',
      examples: ['acme'],
    }),
  ),
  limited: Type.Optional(
    Type.Boolean({
      description:
        'Whether the key has its own `rateLimitConfigs` or `limits`. Those of its customer and its plan do not count.',
    }),
  ),
  lowCredits: Type.Optional(
    Type.Boolean({
      description:
        'Whether the key has credits of its own of which at most 20 % are left, as for `credits.low`. Credits of customers do not count.',
    }),
  ),
  expiresAfter: Type.Optional(TimeInput('Keys that expire after this time, or never.')),
  expiresBefore: Type.Optional(TimeInput('Keys that expire at or before this time.')),
};

export const ListApiKeys = strict({
  ...keyFilters,
  sort: Type.Optional(
    Type.Unsafe<(typeof SORTS)[number]>({
      type: 'string',
      enum: [...SORTS],
      description:
        'Defaults to `createdAt`. Keys without the given time come last. A list of more than 5,000 keys is sorted by the hour of `lastUsedAt`.',
    }),
  ),
  order: Type.Optional(
    Type.Unsafe<(typeof ORDERS)[number]>({
      type: 'string',
      enum: [...ORDERS],
      description: 'Defaults to `ascending` for `name` and `expiresAt`, otherwise to `descending`.',
    }),
  ),
  ...SortedPageQuery,
});
export type ListApiKeys = Static<typeof ListApiKeys>;

export const CountApiKeys = strict(keyFilters);
export type CountApiKeys = Static<typeof CountApiKeys>;

/** Bounds the work of a count that an index answers: 100,000 entries take about 10 ms of CPU. */
export const COUNT_MAX = 100_000;

export const ApiKeyCount = Type.Object(
  {
    count: Type.Integer({ minimum: 0, maximum: COUNT_MAX }),
    isExact: Type.Boolean({
      description: `\`false\` if there may be more: counting stops at ${COUNT_MAX.toLocaleString('en')} keys, or after looking at 5,000 that a filter such as \`search\` has to compare.`,
    }),
  },
  { title: 'ApiKeyCount' },
);
export type ApiKeyCount = Static<typeof ApiKeyCount>;

export const FindApiKey = strict(
  {
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the value, in 64 lower-case hexadecimal digits.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  },
  'FindApiKey',
);

export const DeleteApiKeyQuery = strict({
  permanent: Type.Optional(
    Type.Boolean({
      description:
        '`true` erases the key, its usage, and stored responses for an `Idempotency-Key`. The audit log keeps the masked record.',
    }),
  ),
});
