import { CLOUD_EVENT_PREFIX } from '@keyward/rules/topics.ts';
import type { WebhookEvent } from '../generated/api-types.ts';

/**
 * `headers_missing`, `timestamp_invalid` (not a timestamp), `timestamp_too_old`, `timestamp_too_new`,
 * `signature_invalid`, `body_invalid` (signed, but not JSON).
 */
export type WebhookErrorCode =
  | 'headers_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_invalid'
  | 'body_invalid';

/** The request is not a valid delivery of your webhook: respond with 400 and ignore it. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.name = 'WebhookError';
    this.code = code;
  }
}

export interface WebhookRequest {
  /** The raw body, before any parsing: the signature covers its bytes. */
  readonly body: string | Uint8Array | ArrayBuffer;
  readonly headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** `whsec_…`, or several secrets, one of which must match. */
  readonly secret: string | readonly string[];
  /** Maximum difference between the delivery's timestamp and `now`. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970. Default: the current time. */
  readonly now?: number | undefined;
}

/**
 * Verifies the signature (Standard Webhooks) and the timestamp of a delivery, and returns its event.
 * CloudEvents are returned in the same form.
 *
 * ```ts
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret });
 * if (event.type === 'api-key.deleted') forget(event.data.id);
 * ```
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const id = headerOf(request.headers, 'webhook-id');
  const timestamp = headerOf(request.headers, 'webhook-timestamp');
  const signatures = headerOf(request.headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) {
    throw new WebhookError('headers_missing', 'The request has no webhook signature headers.');
  }
  checkTime(timestamp, request.now ?? Date.now(), request.toleranceSeconds ?? 300);
  const body = bytesOf(request.body);
  const signed = joined(bytesOf(`${id}.${timestamp}.`), body);
  const secrets = typeof request.secret === 'string' ? [request.secret] : request.secret;
  if (!(await anySignatureMatches(signed, signatures, secrets))) {
    throw new WebhookError('signature_invalid', 'No signature matches the body and the secret.');
  }
  return eventOf(body);
}

function checkTime(timestamp: string, now: number, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookError('timestamp_invalid', 'The timestamp of the delivery is not a number.');
  }
  const ageSeconds = now / 1000 - Number(timestamp);
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookError(
      'timestamp_too_old',
      'The delivery is too old; it may be a replay attack.',
    );
  }
  if (ageSeconds < -toleranceSeconds) {
    throw new WebhookError(
      'timestamp_too_new',
      'The timestamp of the delivery is in the future. Check the clocks.',
    );
  }
}

/** `crypto.subtle.verify` compares in constant time. */
async function anySignatureMatches(
  signed: Uint8Array<ArrayBuffer>,
  header: string,
  secrets: readonly string[],
): Promise<boolean> {
  const signatures = header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => fromBase64(part.slice(3)));
  for (const secret of secrets) {
    const key = await hmacKey(secret);
    for (const signature of signatures) {
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
    }
  }
  return false;
}

function hmacKey(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) {
    throw new TypeError('Keyward: `secret` must be `whsec_` followed by base64');
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
}

function eventOf(body: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return event?.specversion === undefined ? event : fromCloudEvent(event);
  } catch {
    throw new WebhookError('body_invalid', 'The body is signed, but it is not JSON.');
  }
}

/** A webhook with `format: cloudevents` sends the same event with other field names. */
const fromCloudEvent = (event: Record<string, unknown>): WebhookEvent =>
  ({
    id: event.id,
    type: String(event.type).replace(CLOUD_EVENT_PREFIX, ''),
    timestamp: event.time,
    accountId: event.accountid,
    projectId: event.projectid ?? null,
    ...(event.actortype !== undefined && {
      actor: { type: event.actortype, customAccountId: event.actorcustomer },
    }),
    data: event.data,
  }) as WebhookEvent;

function headerOf(headers: WebhookRequest['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

/** Copies the bytes: Web Crypto does not accept a view of a SharedArrayBuffer. */
function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return new Uint8Array(body);
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
