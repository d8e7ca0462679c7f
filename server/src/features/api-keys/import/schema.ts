import Type, { type Static } from 'typebox';
import {
  CustomId,
  ExpiryInput,
  Id,
  Name,
  nullable,
  RateLimitConfigs,
  strict,
} from '../../../kernel/schemas.ts';
import { AllowedDomains, KeyValue, Metadata } from '../schema.ts';
import { IMPORT_ROWS_MAX } from './limits.ts';

const expiry = Type.Optional(nullable(ExpiryInput));

export const ImportApiKey = strict(
  {
    name: Name,
    key: Type.Optional(KeyValue),
    keyHash: Type.Optional(
      Type.String({
        minLength: 43,
        maxLength: 64,
        description:
          'SHA-256 of the value, where the value itself is not known: in hex, base64 or base64url. Either this or `key`.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16,
        pattern: '^[A-Za-z0-9._~-]+$',
        description: 'With `keyHash`: how the value begins, for its mask.',
        examples: ['sk_live_4x'],
      }),
    ),
    projectId: Type.Optional(Id('prj', 'the project that gets the key')),
    customMetaData: Type.Optional(nullable(Metadata)),
    customAccountId: Type.Optional(nullable(CustomId)),
    customUserId: Type.Optional(nullable(CustomId)),
    expiry,
    expiresAt: expiry,
    rateLimitConfigs: Type.Optional(nullable(RateLimitConfigs)),
    allowedDomains: Type.Optional(nullable(AllowedDomains)),
    isActive: Type.Optional(Type.Boolean({ description: '`false`: imported as revoked.' })),
    createdAt: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description: 'When the key was made where it comes from; forms as in `expiry`.',
      }),
    ),
  },
  'ImportApiKey',
);
export type ImportApiKey = Static<typeof ImportApiKey>;

const about = {
  projectId: Type.Optional(Id('prj', 'the project of rows that name none')),
  importId: Type.Optional(
    Id('imp', 'the import that this call is a part of; from the answer of its first call'),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: 'Check everything and write nothing.' })),
  events: Type.Optional(
    Type.Boolean({ description: 'Emit `api-key.created` for each key. Default: no events.' }),
  ),
};

/** Rows are checked one by one: an invalid one must not reject the others. */
export const ImportApiKeys = strict({
  keys: Type.Array(Type.Unknown(), { maxItems: IMPORT_ROWS_MAX }),
  ...about,
});
export type ImportApiKeys = Static<typeof ImportApiKeys>;

export const DescribedImport = strict(
  { keys: Type.Array(ImportApiKey, { maxItems: IMPORT_ROWS_MAX }), ...about },
  'ImportApiKeys',
);

const ImportedRow = Type.Object(
  {
    index: Type.Integer({ description: 'Place of the row in `keys`, from 0.' }),
    status: Type.Union(
      [
        Type.Literal('imported'),
        Type.Literal('importable'),
        Type.Literal('exists'),
        Type.Literal('refused'),
      ],
      {
        description:
          '`importable`: what a dry run says of a row that would be imported. `exists`: the project already has a key with this value, which stays as it is.',
      },
    ),
    id: Type.Optional(Id('key', 'the key that was made, or was there')),
    code: Type.Optional(Type.String({ description: 'Of a refused row: as in errors.' })),
    message: Type.Optional(Type.String({ description: 'Of a refused row: for a person.' })),
  },
  { title: 'ImportedRow' },
);
export type ImportedRow = Static<typeof ImportedRow>;

export const ImportAnswer = Type.Object(
  {
    accountId: Id('acc', 'the account that got the keys'),
    importId: Id('imp', 'the import; the audit log tells of it under this id'),
    results: Type.Array(ImportedRow, { description: 'One for each row, in the order of `keys`.' }),
  },
  { title: 'ImportAnswer' },
);
export type ImportAnswer = Static<typeof ImportAnswer>;
