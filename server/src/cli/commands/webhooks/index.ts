import type { Command } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { listCommand } from '../../listing.ts';
import { resourceCommand } from '../../resource-command.ts';
import { given } from '../../values.ts';
import { listDeliveries, retryDelivery } from './deliveries.ts';
import { listenToEvents } from './listen.ts';
import { replayEvents } from './replay.ts';
import { testWebhook } from './try-endpoint.ts';
import { WEBHOOK_ARGUMENT, WEBHOOK_FIELD_OPTIONS, webhookFields } from './webhook-fields.ts';

const createWebhook = resourceCommand({
  words: 'webhooks create',
  summary: 'Make a webhook and show its secret, once',
  options: {
    name: { value: 'NAME', help: 'For people to read', required: true },
    // Not --url, which says where the server is: it would send the access key to the endpoint.
    endpoint: { value: 'URL', help: 'The https URL that is told', required: true },
    ...WEBHOOK_FIELD_OPTIONS,
  },
  examples: [
    'npx keyward webhooks create --name crm --endpoint https://example.com/hook --topic api-key.created',
    'npx keyward webhooks create --name all --endpoint https://example.com/hook --topic api-key.created,api-key.deleted --project prj_…',
  ],
  async run({ api, out, values }) {
    const { name, endpoint: url } = values;
    const fields = webhookFields(values);
    if (fields.topics === undefined) throw new UsageError('--topic is missing');
    const body = { name, url, ...fields };
    return out.record(await api.call('createWebhook', { body }), 'secret');
  },
});

const listWebhooks = listCommand({
  words: 'webhooks list',
  summary: 'List webhooks, newest first',
  operation: 'listWebhooks',
  columns: [
    { field: 'id', title: 'id', whole: true },
    { field: 'name', title: 'name' },
    { field: 'status', title: 'status' },
    { field: 'url', title: 'url' },
    { field: 'topics', title: 'topics' },
    { field: 'projectId', title: 'project' },
  ],
  options: {
    project: { value: 'ID', help: 'Only of this project; null: only of the whole account' },
    topic: { value: 'TOPIC', help: 'Only those that hear of this' },
  },
  examples: ['npx keyward webhooks list', 'npx keyward webhooks list --topic api-key.created'],
  query: ({ project, topic }) => ({ projectId: project, topic }),
});

const getWebhook = resourceCommand({
  words: 'webhooks get',
  summary: 'Show a webhook, without its secret',
  args: [WEBHOOK_ARGUMENT],
  examples: ['npx keyward webhooks get whk_…'],
  run: async ({ api, out, args }) =>
    out.record(await api.call('getWebhook', { path: { id: args[0]! } })),
});

const updateWebhook = resourceCommand({
  words: 'webhooks update',
  summary: 'Change a webhook, pause it, or let it go on',
  details:
    'What is not named stays as it is; topics and headers are replaced whole. --status live also brings a disabled webhook back, and sends what was held.',
  args: [WEBHOOK_ARGUMENT],
  options: {
    name: { value: 'NAME', help: 'For people to read' },
    endpoint: { value: 'URL', help: 'The https URL that is told' },
    ...WEBHOOK_FIELD_OPTIONS,
    'take-over': {
      help: 'Answer for all its settings, so that events carry key values you may see',
    },
    'no-headers': { help: 'Send no headers of your own any more' },
  },
  examples: [
    'npx keyward webhooks update whk_… --status paused',
    'npx keyward webhooks update whk_… --endpoint https://example.com/new --topic api-key.created',
  ],
  async run({ api, out, values, args }) {
    const { name, endpoint: url } = values;
    const body = {
      ...given({ name, url }),
      ...(values['take-over'] && { takeOver: true }),
      ...(values['no-headers'] && { customHeaders: {} }),
      ...webhookFields(values),
    };
    if (Object.keys(body).length === 0)
      throw new UsageError('there is nothing to change: name at least one option');
    return out.record(await api.call('updateWebhook', { path: { id: args[0]! }, body }));
  },
});

const deleteWebhook = resourceCommand({
  words: 'webhooks delete',
  summary: 'Delete a webhook; what it had not sent yet is cancelled',
  args: [WEBHOOK_ARGUMENT],
  examples: ['npx keyward webhooks delete whk_…'],
  async run({ api, out, args }) {
    return out.done('Deleted.', await api.call('deleteWebhook', { path: { id: args[0]! } }));
  },
});

const rotateSecret = resourceCommand({
  words: 'webhooks rotate-secret',
  summary: 'Give a webhook a new secret; the old one lives for 24 hours more',
  args: [WEBHOOK_ARGUMENT],
  examples: ['npx keyward webhooks rotate-secret whk_…'],
  run: async ({ api, out, args }) =>
    out.record(await api.call('rotateWebhookSecret', { path: { id: args[0]! } }), 'secret'),
});

export const webhookCommands: readonly Command[] = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  listDeliveries,
  retryDelivery,
  replayEvents,
  listenToEvents,
];
