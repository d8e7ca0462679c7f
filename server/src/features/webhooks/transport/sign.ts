import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** 192 bits, the minimum of Standard Webhooks; a multiple of three, so base64 needs no padding. */
const SECRET_BYTES = 24;

export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The headers of Standard Webhooks, with one signature for each valid secret. */
export function signatureHeaders(message: {
  readonly id: string;
  readonly timestampMs: number;
  readonly body: string | Uint8Array;
  readonly secrets: readonly string[];
}): SignatureHeaders {
  const timestamp = String(Math.floor(message.timestampMs / 1000));
  const signatures = message.secrets.map((secret) => {
    const hmac = createHmac('sha256', keyOf(secret));
    return `v1,${hmac.update(`${message.id}.${timestamp}.`).update(message.body).digest('base64')}`;
  });
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  // HMAC accepts an empty key, whose signatures anyone could forge.
  if (!secret.startsWith(PREFIX) || key.length < SECRET_BYTES)
    throw new TypeError('A webhook secret must start with whsec_ and have at least 24 bytes.');
  return key;
}
