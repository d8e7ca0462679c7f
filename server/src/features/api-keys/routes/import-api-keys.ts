import { defineRoute } from '../../../kernel/route.ts';
import type { KeyImporter } from '../import/importer.ts';
import { IMPORT_BODY_BYTES_MAX } from '../import/limits.ts';
import { DescribedImport, ImportAnswer, ImportApiKeys } from '../import/schema.ts';

export const importApiKeys = (importer: KeyImporter) =>
  defineRoute({
    method: 'POST',
    path: '/api-keys/import',
    operationId: 'importApiKeys',
    tag: 'api-keys',
    summary: 'Import keys that were made elsewhere',
    description:
      'Up to 1,000 rows and 1 MB a call, each row a key by its value or by the SHA-256 of its value. A wrong row refuses only itself. The same call again changes nothing: what is there already is answered as `exists`. All rows of a call are written together or, when the call fails, not at all.',
    access: 'keys:write',
    body: ImportApiKeys,
    describedBody: DescribedImport,
    bodyBytesMax: IMPORT_BODY_BYTES_MAX,
    reply: ImportAnswer,
    status: 200,
    errors: ['project_not_found', 'project_inactive', 'key_exists'],
    handle: ({ actor, body }) => importer.run(actor, body),
  });
