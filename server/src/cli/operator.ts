import { readRootSecret } from '../app/root-secret.ts';
import { deriveSecrets, randomToken, sha256 } from '../kernel/crypto.ts';
import type { Terminal } from './terminal.ts';

/** Who a call is from. */
export type Credential =
  | { readonly kind: 'access-key'; readonly value: string }
  | { readonly kind: 'operator'; sign(text: string): string };

const DEFAULT_DATA_DIRECTORY = './data';

export const dataDirectoryOf = (terminal: Terminal, named: string | undefined): string =>
  named ?? (terminal.env.KEYWARD_DATA_DIR || DEFAULT_DATA_DIRECTORY);

/**
 * Whoever can read the root secret owns the installation and needs no access key to recover it.
 * The secret itself never travels: each call is signed with a key derived from it.
 */
export function operatorCredential(terminal: Terminal, dataDirectory: string): Credential {
  const root = readRootSecret(dataDirectory, terminal.env.KEYWARD_SECRET || null);
  if (root === null)
    throw new Error(
      `no access key is given, and there is no root secret in ${dataDirectory}. Set KEYWARD_ACCESS_KEY, or run this where the server runs with KEYWARD_DATA_DIR set.`,
    );
  return { kind: 'operator', sign: deriveSecrets(root).signOperator };
}

export function credentialHeaders(
  credential: Credential,
  method: string,
  pathWithQuery: string,
  body: string,
  now: number,
): Record<string, string> {
  if (credential.kind === 'access-key') return { 'x-api-key': credential.value };
  return operatorHeaders(credential.sign, method, pathWithQuery, body, now);
}

/** Good for this one call: its time, its address, its body, and a number used once. */
export function operatorHeaders(
  sign: (text: string) => string,
  method: string,
  pathWithQuery: string,
  body: string,
  now: number,
): Record<string, string> {
  const nonce = randomToken();
  const bodyHash = sha256(body);
  const signature = sign(`${now}.${nonce}.${method}.${pathWithQuery}.${bodyHash}`);
  return { 'x-keyward-operator': `${now}.${nonce}.${bodyHash}.${signature}` };
}
