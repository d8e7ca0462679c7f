import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
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

/** Reads the file again when it has changed. */
export function githubKeysIn(path: string): () => Promise<GithubKeys> {
  let known: { readonly version: string; readonly keys: GithubKeys } | undefined;
  return async () => {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true });
    const version = `${mtimeNs} ${size} ${ino}`;
    if (known?.version !== version) known = { version, keys: await readGithubKeys(path) };
    return known.keys;
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * A signature with P-256 in DER: at most 72 bytes, which are 96 characters in base64. The first byte is 0x30, so the
 * text begins with `M`.
 */
const SIGNATURE = /^M[A-Za-z0-9+/]{8,95}={0,2}$/;

interface ClaimedSignature {
  readonly key: KeyObject;
  readonly signature: Buffer;
}

/** Throws unless the headers name a known key and have the form of a signature. */
export function claimedSignature(keys: GithubKeys, headers: Headers): ClaimedSignature {
  const key = keys.get(String(headers['github-public-key-identifier']));
  const signature = String(headers['github-public-key-signature'] ?? '');
  if (key === undefined || !SIGNATURE.test(signature)) throw new KeywardError('signature_invalid');
  return { key, signature: Buffer.from(signature, 'base64') };
}

/** Throws unless the body was signed with one of the keys: ECDSA over its SHA-256, DER in base64. */
export function requireSignature(keys: GithubKeys, headers: Headers, body: Buffer): void {
  const { key, signature } = claimedSignature(keys, headers);
  if (!verify('sha256', body, key, signature)) throw new KeywardError('signature_invalid');
}
