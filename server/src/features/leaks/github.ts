import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { KeywardError } from '../../kernel/errors.ts';

/** The public keys of GitHub's secret scanning, by their identifier. */
export type GithubKeys = ReadonlyMap<string, KeyObject>;

/**
 * Reads the file in the format of https://api.github.com/meta/public_keys/secret_scanning. Throws a
 * message that names what is wrong with the file.
 */
export async function readGithubKeys(path: string): Promise<GithubKeys> {
  const { public_keys: listed } = JSON.parse(await readFile(path, 'utf8')) as {
    public_keys?: readonly { key_identifier: string; key: string }[];
  };
  if (!Array.isArray(listed) || listed.length === 0)
    throw new Error('it has no list `public_keys`');
  return new Map(
    listed.map(({ key_identifier, key }) => {
      const parsed = createPublicKey(key);
      if (parsed.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
        throw new Error(`${key_identifier} is not a key for ECDSA with the curve P-256`);
      return [key_identifier, parsed];
    }),
  );
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Throws unless the body was signed with one of the keys: ECDSA over its SHA-256, DER in base64. */
export function requireSignature(keys: GithubKeys, headers: Headers, body: Buffer): void {
  const key = keys.get(String(headers['github-public-key-identifier']));
  const signature = Buffer.from(String(headers['github-public-key-signature'] ?? ''), 'base64');
  if (key === undefined || !verify('sha256', body, key, signature))
    throw new KeywardError('signature_invalid');
}
