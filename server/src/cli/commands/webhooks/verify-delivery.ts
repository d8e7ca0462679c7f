import type { IncomingHttpHeaders } from 'node:http';
import { signatureHeaders } from '../../../features/webhooks/transport/sign.ts';
import { sameText } from '../../../kernel/secrets/crypto.ts';

/** Allowed difference between the clocks of sender and receiver, as in Standard Webhooks. */
const TOLERANCE_MS = 5 * 60_000;

/** The problem with a delivery, or null if its signature is valid. */
export function faultOf(
  headers: IncomingHttpHeaders,
  body: string,
  secret: string,
  now: number,
): string | null {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof given !== 'string')
    return 'it is not signed';
  const timestampMs = Number(timestamp) * 1000;
  if (!(Math.abs(now - timestampMs) <= TOLERANCE_MS))
    return 'its timestamp is more than 5 minutes off';
  const expected = signatureHeaders({ id, timestampMs, body, secrets: [secret] });
  const matches = given
    .split(' ')
    .some((signature) => sameText(signature, expected['webhook-signature']));
  return matches ? null : 'its signature is wrong';
}
