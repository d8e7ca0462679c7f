import { DESCRIBED_EVENTS, type DescribedEvent } from '../../features/webhooks/index.ts';
import type { Components, Json } from './components.ts';
import { headerParameter, referToParameter } from './parameters.ts';

/** The requests that a webhook receiver gets, by topic. */
export const deliveries = (components: Components): Json =>
  Object.fromEntries(
    DESCRIBED_EVENTS.map((event) => [event.topic, { post: delivery(event, components) }]),
  );

const delivery = (event: DescribedEvent, components: Components): Json => ({
  operationId: `on${event.schema.title}`,
  tags: ['webhooks'],
  summary: event.summary.split('. ')[0]!.replace(/\.?$/, '.'),
  description: event.summary,
  security: [],
  parameters: SIGNATURE_HEADERS.map((header) => referToParameter(header, components)),
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: components.schema(event.schema),
        examples: { [event.topic]: { value: event.example } },
      },
    },
  },
  responses: {
    '2XX': components.refer('responses', 'DeliveryReceived', {
      description: 'Received. Any other status, or no response within 15 seconds, is retried.',
    }),
    '410': components.refer('responses', 'DeliveryGone', {
      description: 'Gone: the webhook is disabled immediately.',
    }),
  },
});

const signatureHeader = (name: string, description: string) =>
  headerParameter(name, description, { required: true });

/** As specified by Standard Webhooks. */
const SIGNATURE_HEADERS = [
  signatureHeader(
    'webhook-id',
    'The id of the event. It is the same on every attempt; use it to ignore duplicates.',
  ),
  signatureHeader('webhook-timestamp', 'The time of this attempt, in seconds since 1970.'),
  signatureHeader(
    'webhook-signature',
    '`v1,` followed by the base64 HMAC-SHA256 of `id.timestamp.body` with the secret. For 24 hours after a rotation there are two signatures, separated by a space.',
  ),
];
