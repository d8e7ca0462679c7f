import { listCommand } from '../../listing.ts';
import { resourceCommand } from '../../resource-command.ts';
import { WEBHOOK_ARGUMENT } from './webhook-fields.ts';

export const listDeliveries = listCommand({
  words: 'webhooks deliveries',
  summary: 'List the deliveries of a webhook, newest first',
  args: [WEBHOOK_ARGUMENT],
  operation: 'listWebhookDeliveries',
  path: ([webhook]) => ({ id: webhook! }),
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'topic', title: 'topic' },
    { field: 'status', title: 'status' },
    { field: 'attempts', title: 'attempts' },
    { field: 'lastStatusCode', title: 'response' },
    { field: 'lastError', title: 'error' },
    { field: 'dueAt', title: 'due' },
    { field: 'createdAt', title: 'created' },
  ],
  options: {
    status: { value: 'STATUS', help: 'Only pending, held, delivered, failed or cancelled' },
    topic: { value: 'TOPIC', help: 'Only of this topic' },
    from: { value: 'TIME', help: 'Only deliveries created at or after this time' },
    to: { value: 'TIME', help: 'Only deliveries created at or before this time' },
  },
  examples: [
    'npx keyward webhooks deliveries whk_…',
    'npx keyward webhooks deliveries whk_… --status failed --from 2030-01-01',
  ],
  query: ({ status, topic, from, to }) => ({ status, topic, from, to }),
});

export const retryDelivery = resourceCommand({
  words: 'webhooks retry',
  summary: 'Retry a delivery now',
  args: [WEBHOOK_ARGUMENT, { name: 'DELIVERY', help: 'The id of the delivery (dlv_…)' }],
  examples: ['npx keyward webhooks retry whk_… dlv_…'],
  async run({ api, out, args }) {
    const path = { id: args[0]!, delivery: args[1]! };
    const { recentAttempts: _, ...delivery } = await api.call('retryWebhookDelivery', { path });
    return out.record(delivery);
  },
});
