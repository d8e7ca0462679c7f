import type { Kysely } from 'kysely';
import { storedCheckValue } from '../../../app/first-boot.ts';
import { readRootSecret } from '../../../app/root-secret.ts';
import { type ChainReport, type Head, verifyChain } from '../../../features/audit/index.ts';
import { deriveSecrets } from '../../../kernel/secrets/crypto.ts';
import { openReadOnly } from '../../../storage/files/read-only.ts';
import type { Database } from '../../../storage/index.ts';
import { openPostgres } from '../../../storage/postgres.ts';

interface AuditVerifier {
  verify(
    expectedHead: Head | undefined,
    onProgress: (proven: number) => void,
  ): Promise<ChainReport>;
  close(): Promise<void>;
}

/** A SQLite file, or the URL of PostgreSQL. */
export type AuditDatabase = { readonly file: string } | { readonly url: string };

interface Opened {
  readonly db: Kysely<Database>;
  close(): Promise<void>;
}

async function open(database: AuditDatabase): Promise<Opened> {
  if ('file' in database) {
    const { db, close } = openReadOnly(database.file);
    return { db, close: async () => close() };
  }
  const storage = await openPostgres({ url: database.url, poolSize: 2 });
  return { db: storage.read, close: () => storage.close() };
}

/** Throws if the secret is wrong, because every row would then look changed. */
export async function openAuditVerifier(
  database: AuditDatabase,
  dataDirectory: string,
  givenSecret: string | null,
): Promise<AuditVerifier> {
  const root = readRootSecret(dataDirectory, givenSecret);
  if (root === null)
    throw new Error(`there is no root secret in ${dataDirectory}. Set KEYWARD_SECRET.`);
  const secrets = deriveSecrets(root);
  const { db, close } = await open(database);
  if ((await storedCheckValue({ point: db })) !== secrets.checkValue) {
    await close();
    throw new Error('the root secret does not belong to this database.');
  }
  return {
    verify: (expectedHead, onProgress) =>
      verifyChain(db, secrets.hashAuditLink, {
        onProgress,
        ...(expectedHead && { expectedHead }),
      }),
    close,
  };
}
