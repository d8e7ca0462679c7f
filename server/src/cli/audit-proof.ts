import { storedCheckValue } from '../app/first-boot.ts';
import { readRootSecret } from '../app/root-secret.ts';
import { type Head, type Verdict, verifyChain } from '../features/audit/index.ts';
import { deriveSecrets } from '../kernel/crypto.ts';
import { openReadOnly } from '../storage/read-only.ts';

interface AuditProof {
  verify(expectedHead: Head | undefined, onProgress: (proven: number) => void): Promise<Verdict>;
  close(): void;
}

/** Refuses a wrong secret before it would make every row look changed. */
export async function openAuditProof(
  file: string,
  dataDirectory: string,
  givenSecret: string | null,
): Promise<AuditProof> {
  const root = readRootSecret(dataDirectory, givenSecret);
  if (root === null)
    throw new Error(`there is no root secret in ${dataDirectory}. Set KEYWARD_SECRET.`);
  const secrets = deriveSecrets(root);
  const { db, close } = openReadOnly(file);
  if ((await storedCheckValue({ point: db })) !== secrets.checkValue) {
    close();
    throw new Error('the root secret does not belong to this database.');
  }
  return {
    verify: (expectedHead, onProgress) =>
      verifyChain(db, secrets.chainAudit, {
        engine: 'sqlite',
        onProgress,
        ...(expectedHead && { expectedHead }),
      }),
    close,
  };
}
