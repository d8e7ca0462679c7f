import { join, resolve } from 'node:path';
import type { KeywardOptions } from 'keyward';
import { readRootSecret } from '../app/root-secret.ts';
import { deriveSecrets, randomToken, sha256 } from '../kernel/secrets/crypto.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { Terminal } from './terminal/terminal.ts';

/** How a command authenticates. */
export type Credential =
  /** For the few operations that need none. */
  | { readonly kind: 'none' }
  | { readonly kind: 'access-key'; readonly value: string }
  | { readonly kind: 'operator'; sign(text: string): string };

const DEFAULT_DATA_DIRECTORY = './data';

export const dataDirectoryOf = (terminal: Terminal, named: string | undefined): string =>
  named ?? (terminal.env.KEYWARD_DATA_DIR || DEFAULT_DATA_DIRECTORY);

/**
 * The operator proves that they can read the root secret and needs no access key. The secret itself is
 * never sent: each call is signed with a key derived from it.
 */
export function operatorCredential(
  terminal: Terminal,
  dataDirectory: string,
  operator: 'allowed' | 'only',
): Credential {
  const root = rootSecretIn(dataDirectory, terminal.env.KEYWARD_SECRET || null);
  if (typeof root === 'string') return { kind: 'operator', sign: deriveSecrets(root).signOperator };
  const remedy =
    'run it on the machine of the server, as its user, with --data-dir or KEYWARD_DATA_DIR naming its data directory, or set KEYWARD_SECRET';
  throw new Error(
    operator === 'only'
      ? `this command acts as the operator, and ${root.problem}: ${remedy}.`
      : `no access key is given, and ${root.problem}. Set KEYWARD_ACCESS_KEY; or, to act as the operator, ${remedy}.`,
  );
}

function rootSecretIn(dataDirectory: string, given: string | null): string | { problem: string } {
  const file = join(resolve(dataDirectory), 'secret');
  try {
    return (
      readRootSecret(dataDirectory, given) ?? { problem: `there is no root secret at ${file}` }
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: `the root secret ${file} cannot be read (${code})` };
  }
}

/** Options of the SDK client. The operator has no access key: each request is signed as it is sent. */
export function clientCredential(
  credential: Credential,
  url: string,
): Pick<KeywardOptions, 'accessKey' | 'fetch'> {
  if (credential.kind === 'none') return { accessKey: null };
  if (credential.kind === 'access-key') return { accessKey: credential.value };
  return {
    accessKey: null,
    fetch: (input, init = {}) => {
      const path = String(input).slice(url.length);
      const { method = 'GET', body } = init;
      const signed = operatorHeaders(
        credential.sign,
        method,
        path,
        String(body ?? ''),
        systemClock(),
      );
      return fetch(input, { ...init, headers: { ...(init.headers as object), ...signed } });
    },
  };
}

/** Valid for one request: signs its time, method, path, body and a nonce. */
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
