import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * All secrets of an installation are derived from one root secret, each with its own name, so that none
 * reveals another. The root secret is never stored in the database.
 */
export interface Secrets {
  /** HMAC-SHA-256(pepper, SHA-256(value)), base64url; stored instead of a value. */
  hashValue(value: string): string;
  /** The same from a given SHA-256. */
  hashDigest(sha256: Uint8Array): string;
  /** AES-256-GCM. `context` is authenticated, so that a ciphertext cannot be moved elsewhere. */
  encrypt(plain: string, context: string): string;
  decrypt(encrypted: string, context: string): string;
  /** Hashes a row of the audit log together with the hash of the rows before it; base64url. */
  hashAuditLink(text: string): string;
  /** Signs the requests of the operator's CLI, see http/gate/authenticate.ts. */
  signOperator(text: string): string;
  /** Signs the cookies of people and encrypts their second factors. */
  readonly loginSecret: string;
  /** Stored in the database, to detect a wrong root secret at start. */
  readonly checkValue: string;
}

const VERSION_PREFIX = 'v1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function deriveSecrets(rootSecret: string): Secrets {
  const derive = (name: string): Buffer =>
    Buffer.from(hkdfSync('sha256', rootSecret, 'keyward', name, 32));
  const pepper = derive('key pepper');
  const encryptionKey = derive('encryption');
  const operatorKey = derive('operator');
  const auditKey = derive('audit chain');

  const hashDigest = (sha256: Uint8Array): string => keyedHash(pepper, sha256);
  return {
    hashDigest,
    hashValue: (value) => hashDigest(hash('sha256', value, 'buffer')),
    encrypt(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return (
        VERSION_PREFIX + Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')
      );
    },
    decrypt(encrypted, context) {
      if (!encrypted.startsWith(VERSION_PREFIX))
        throw new Error('Unknown format of encrypted text.');
      const bytes = Buffer.from(encrypted.slice(VERSION_PREFIX.length), 'base64url');
      const decipher = createDecipheriv(
        'aes-256-gcm',
        encryptionKey,
        bytes.subarray(0, NONCE_BYTES),
      );
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)) + decipher.final('utf8');
    },
    hashAuditLink: (text) => keyedHash(auditKey, text),
    signOperator: (text) => keyedHash(operatorKey, text),
    loginSecret: derive('login').toString('base64url'),
    checkValue: derive('check value').toString('base64url'),
  };
}

/** HMAC-SHA-256, base64url. */
const keyedHash = (key: Uint8Array, text: string | Uint8Array): string =>
  createHmac('sha256', key).update(text).digest('base64url');

export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

export const randomToken = (): string => randomBytes(32).toString('base64url');

/** Compares in constant time. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
