import Type, { type Static } from 'typebox';
import { IMPORT_ROWS_MAX } from '../../../kernel/import-limits.ts';
import { KEY_CHARACTERS } from '../../../kernel/json/check-value.ts';
import { Id, importedRow, Metadata, nullable, strict, TimeInput } from '../../../kernel/schemas.ts';
import { createSettings, KeyValue, name } from '../schema.ts';

export const ImportApiKey = strict(
  {
    name,
    key: Type.Optional(KeyValue),
    keyHash: Type.Optional(
      Type.String({
        minLength: 43,
        maxLength: 64,
        description:
          'The SHA-256 of the value in hex, base64 or base64url, if the value itself is not known. Send either this or `key`.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16,
        pattern: KEY_CHARACTERS,
        description: 'With `keyHash`: the beginning of the value, for the masked display.',
        examples: ['sk_live_4x'],
      }),
    ),
    projectId: Type.Optional(Id('prj', 'the project of the key')),
    ...createSettings,
    customMetaData: Type.Optional(nullable(Metadata)),
    isActive: Type.Optional(
      Type.Boolean({ description: 'If `false`, the key is imported as revoked.' }),
    ),
    createdAt: Type.Optional(TimeInput('When the key was originally created.')),
  },
  'ImportApiKey',
);
export type ImportApiKey = Static<typeof ImportApiKey>;

const importOptions = {
  projectId: Type.Optional(Id('prj', 'the project for rows without a `projectId`')),
  importId: Type.Optional(
    Id('imp', 'the import that this request continues (from the response to its first request)'),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: 'Check all rows without importing them.' })),
  events: Type.Optional(
    Type.Boolean({
      description: 'Whether to emit `api-key.created` for each key. Defaults to `false`.',
    }),
  ),
};

/** Rows are checked one by one: an invalid row does not affect the others. */
export const ImportApiKeys = strict({
  keys: Type.Array(Type.Unknown(), { maxItems: IMPORT_ROWS_MAX }),
  ...importOptions,
});
export type ImportApiKeys = Static<typeof ImportApiKeys>;

export const DescribedImport = strict(
  { keys: Type.Array(ImportApiKey, { maxItems: IMPORT_ROWS_MAX }), ...importOptions },
  'ImportApiKeys',
);

const ImportedRow = importedRow('ImportedRow', 'key', 'key');
export type ImportedRow = Static<typeof ImportedRow>;

export const ImportResult = Type.Object(
  {
    accountId: Id('acc', 'the account of the keys'),
    importId: Id('imp', 'the import, as in the audit log'),
    results: Type.Array(ImportedRow, {
      description: 'One result per row, in the order of `keys`.',
    }),
  },
  { title: 'ImportResult' },
);
export type ImportResult = Static<typeof ImportResult>;
