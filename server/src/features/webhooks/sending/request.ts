import type { Secrets } from '../../../kernel/secrets/crypto.ts';
import { decryptHeaders, eventContext, signingSecrets } from '../encryption.ts';
import { cloudEvent } from '../events/cloud-event.ts';
import { envelope } from '../events/envelope.ts';
import { headerSecrets } from '../header-masks.ts';
import type { SendOptions } from '../transport/send.ts';
import { signatureHeaders } from '../transport/sign.ts';
import type { Job } from './batch.ts';

const CLOUD_EVENT = 'application/cloudevents+json; charset=utf-8';

type Request = Pick<SendOptions, 'url' | 'method' | 'headers' | 'body'> & {
  readonly redact: readonly string[];
};

/** The request of one attempt, signed with every secret that is valid at `now`. */
export function requestFor(
  job: Job,
  secrets: Secrets,
  userAgent: string,
  now: number,
  traceparent: string | null = null,
): Request {
  const { event, webhook } = job;
  const data = dataOf(job, secrets);
  const isCloudEvent = webhook.format === 'cloudevents';
  const sent = envelope(event, data);
  const body = JSON.stringify(isCloudEvent ? cloudEvent(sent) : sent);
  const customHeaders = decryptHeaders(secrets, webhook);
  const signing = signingSecrets(secrets, webhook, now);
  return {
    url: webhook.url,
    method: webhook.http_method,
    body,
    // Ours last, so that headers stored before a name was reserved cannot replace them.
    headers: {
      ...lowerCased(customHeaders),
      'content-type': isCloudEvent ? CLOUD_EVENT : 'application/json',
      'user-agent': userAgent,
      ...(traceparent !== null && { traceparent }),
      ...signatureHeaders({ id: event.id, timestampMs: now, body, secrets: signing }),
    },
    redact: [...signing, ...headerSecrets(customHeaders), ...keyValueIn(job, data)],
  };
}

/** The record with its key value, if this delivery carries it and the event still has it. */
const dataOf = (job: Job, secrets: Secrets): string => {
  const encrypted = encryptedDataOf(job);
  return encrypted === null
    ? job.event.data
    : secrets.decrypt(encrypted, eventContext(job.event.id));
};

/** The format may have changed since the delivery was written. */
const encryptedDataOf = ({ delivery, event, webhook }: Job): string | null =>
  delivery.carriesValue && webhook.format !== 'cloudevents' ? event.sealed_data : null;

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function keyValueIn(job: Job, data: string): string[] {
  if (encryptedDataOf(job) === null) return [];
  const { key } = JSON.parse(data) as { key?: unknown };
  return typeof key === 'string' ? [key] : [];
}
