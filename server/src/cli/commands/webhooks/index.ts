import type { Command } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { listCommand } from '../../listing.ts';
import { resourceCommand } from '../../resource-command.ts';
import { withoutUndefined } from '../../values.ts';
import { listDeliveries, retryDelivery } from './deliveries.ts';
import { listenToEvents } from './listen.ts';
import { replayEvents } from './replay.ts';
import { testWebhook } from './try-endpoint.ts';
import { WEBHOOK_ARGUMENT, WEBHOOK_FIELD_OPTIONS, webhookFields } from './webhook-fields.ts';

const createWebhook = resourceCommand({
  words: 'webhooks create',
  summary: 'Create a webhook and show its secret once',
  options: {
    name: { value: 'NAME', help: 'Display name', required: true },
    // Not --url, which is the address of the server: a mix-up would send the access key to the endpoint.
    endpoint: { value: 'URL', help: 'The https URL that receives the events', required: true },
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
    project: {
      value: 'ID',
      help: 'Only webhooks of this project; null: only of the whole account',
    },
    topic: { value: 'TOPIC', help: 'Only webhooks with this topic' },
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
  summary: 'Update, pause or resume a webhook',
  details:
    'Options that are not given stay unchanged; topics and headers are replaced as a whole. --status live also re-enables a disabled webhook and sends the deliveries it held.',
  args: [WEBHOOK_ARGUMENT],
  options: {
    name: { value: 'NAME', help: 'Display name' },
    endpoint: { value: 'URL', help: 'The https URL that receives the events' },
    ...WEBHOOK_FIELD_OPTIONS,
    'take-over': {
      help: 'Take ownership of all settings: events then include the values of keys that you have permission to create',
    },
    'no-headers': { help: 'Remove all custom headers' },
  },
  examples: [
    'npx keyward webhooks update whk_… --status paused',
    'npx keyward webhooks update whk_… --endpoint https://example.com/new --topic api-key.created',
  ],
  async run({ api, out, values, args }) {
    const { name, endpoint: url } = values;
    const body = {
      ...withoutUndefined({ name, url }),
      ...(values['take-over'] && { takeOver: true }),
      ...(values['no-headers'] && { customHeaders: {} }),
      ...webhookFields(values),
    };
    if (Object.keys(body).length === 0)
      throw new UsageError('nothing to change: give at least one option');
    return out.record(await api.call('updateWebhook', { path: { id: args[0]! }, body }));
  },
});

const deleteWebhook = resourceCommand({
  words: 'webhooks delete',
  summary: 'Delete a webhook and cancel its pending deliveries',
  args: [WEBHOOK_ARGUMENT],
  examples: ['npx keyward webhooks delete whk_…'],
  async run({ api, out, args }) {
    return out.done('Deleted.', await api.call('deleteWebhook', { path: { id: args[0]! } }));
  },
});

const rotateSecret = resourceCommand({
  words: 'webhooks rotate-secret',
  summary: 'Replace the secret of a webhook; the old one stays valid for 24 hours',
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
