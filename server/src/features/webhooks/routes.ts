import Type from 'typebox';
import { defineRoute, type Route } from '../../kernel/route.ts';
import { Deleted, deleted } from '../../kernel/schemas.ts';
import { TOPICS } from '../changes/index.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import type { DeliveryHistory } from './deliveries/service.ts';
import type { Pinger } from './pinger.ts';
import { replayRoutes } from './replays/routes.ts';
import type { ReplayService } from './replays/service.ts';
import {
  CreateWebhook,
  ListWebhooks,
  Ping,
  PingResult,
  TopicName,
  UpdateWebhook,
  Webhook,
  WebhookParams,
  WebhookWithSecret,
} from './schema.ts';
import type { WebhookService } from './service.ts';

export const webhookRoutes = (parts: {
  webhooks: WebhookService;
  history: DeliveryHistory;
  replays: ReplayService;
  pinger: Pinger;
}): Route[] => [
  listTopics(),
  createWebhook(parts.webhooks),
  listWebhooks(parts.webhooks),
  getWebhook(parts.webhooks),
  updateWebhook(parts.webhooks),
  deleteWebhook(parts.webhooks),
  rotateWebhookSecret(parts.webhooks),
  pingWebhook(parts.pinger),
  ...deliveryRoutes(parts.history),
  ...replayRoutes(parts.replays),
];

const listTopics = () =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/topics',
    operationId: 'listWebhookTopics',
    tag: 'auth_api_v1',
    summary: 'List the topics that a webhook can subscribe to',
    description:
      'The names that `topics` of a webhook accepts. Each topic is described under **Webhooks** with its payload.',
    access: 'webhooks:read',
    reply: Type.Array(TopicName),
    status: 200,
    handle: async () => TOPICS,
  });

const createWebhook = (service: WebhookService) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    tag: 'auth_api_v1',
    summary: 'Create a webhook',
    description:
      'The response contains the `secret` that signs the deliveries. It is shown only here and when it is rotated. `projectId` defaults to the project of the access key; `null`, the default of an account-level access key, means all projects of the account. `api-key.created` needs the scope `keys:write` too, `access-key.created` the scope `access-keys:write`: their events contain the value of the new key only if everyone in `setBy` may create such a key; otherwise the mask.',
    example: {
      body: {
        name: 'Billing',
        url: 'https://hooks.example/keyward',
        topics: ['api-key.created', 'api-key.updated'],
      },
      keeps: ['WEBHOOK_ID', 'id'],
    },
    access: 'webhooks:write',
    body: CreateWebhook,
    reply: WebhookWithSecret,
    status: 201,
    creates: true,
    errors: ['account_not_found', 'level_too_low', 'project_not_found', 'project_inactive'],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  });

const listWebhooks = (service: WebhookService) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks',
    operationId: 'listWebhooks',
    tag: 'webhooks',
    summary: 'List webhooks, newest first',
    description: 'A project-level access key sees the webhooks of its project only.',
    example: { query: { limit: 10 } },
    access: 'webhooks:read',
    query: ListWebhooks,
    reply: Webhook,
    status: 200,
    list: true,
    errors: ['account_not_found'],
    handle: ({ actor, query }) => service.list(actor.principal, query),
  });

const getWebhook = (service: WebhookService) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id',
    operationId: 'getWebhook',
    tag: 'webhooks',
    summary: 'Retrieve a webhook',
    description:
      'The webhook without its secret, which is shown when it is created and when it is rotated.',
    example: { params: { id: '$WEBHOOK_ID' } },
    access: 'webhooks:read',
    params: WebhookParams,
    reply: Webhook,
    status: 200,
    errors: ['webhook_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.id),
  });

const updateWebhook = (service: WebhookService) =>
  defineRoute({
    method: 'PATCH',
    path: '/webhooks/:id',
    operationId: 'updateWebhook',
    tag: 'webhooks',
    summary: 'Update, pause or resume a webhook',
    description:
      'Fields that are left out do not change; `customHeaders` and `topics` are replaced as a whole. `status: live` also resumes a disabled webhook and sends the deliveries that were held. If the webhook moves to another project, or a topic is removed, waiting deliveries of the previous project or topic are cancelled. If the webhook has the topic `api-key.created`, changing `url`, `topics` or `projectId`, resuming, and taking over also require the scope `keys:write`; with `access-key.created`, `access-keys:write`. Events contain key values only if everyone in `setBy` has permission to create the key; `takeOver: true` replaces them with the caller. A stored value of `customHeaders` can be kept with another `url`, beside changed headers, or with `takeOver`, only by callers with all rights of those who set it.',
    example: {
      params: { id: '$WEBHOOK_ID' },
      body: { topics: ['api-key.created', 'api-key.updated', 'api-key.deleted'] },
    },
    access: 'webhooks:write',
    params: WebhookParams,
    body: UpdateWebhook,
    reply: Webhook,
    status: 200,
    updates: true,
    errors: ['webhook_not_found', 'level_too_low', 'project_not_found', 'project_inactive'],
    handle: ({ actor, params, body }) => service.update(actor, params.id, body),
  });

const deleteWebhook = (service: WebhookService) =>
  defineRoute({
    method: 'DELETE',
    path: '/webhooks/:id',
    operationId: 'deleteWebhook',
    tag: 'webhooks',
    summary: 'Delete a webhook',
    description: 'Waiting deliveries are cancelled. The secret and the headers are erased.',
    example: { params: { id: '$WEBHOOK_ID' } },
    access: 'webhooks:write',
    params: WebhookParams,
    reply: Deleted,
    status: 200,
    errors: ['webhook_not_found'],
    handle: ({ actor, params }) => deleted(service.delete(actor, params.id)),
  });

const rotateWebhookSecret = (service: WebhookService) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    tag: 'webhooks',
    summary: 'Rotate the secret of a webhook',
    description:
      'The old secret stays valid for 24 hours: until then each delivery carries both signatures, and the secret cannot be rotated again. Requires all rights of the creator of the webhook, because messages can be forged with the new secret.',
    example: { params: { id: '$WEBHOOK_ID' } },
    access: 'webhooks:write',
    params: WebhookParams,
    reply: WebhookWithSecret,
    status: 200,
    errors: ['webhook_not_found', 'secret_rotating'],
    handle: ({ actor, params }) => service.rotateSecret(actor, params.id),
  });

const pingWebhook = (pinger: Pinger) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks/ping',
    operationId: 'pingWebhook',
    tag: 'webhooks',
    summary: 'Test an endpoint',
    description:
      'Sends one message to an endpoint, with or without a webhook for it, and returns the result. The message is not signed, since there may be no secret yet. If the endpoint fails, the response is a `200` with `success: false`. Masked values of `customHeaders` are replaced by those of `webhookId`, if the webhook has this `url` and the caller all rights of those who set them. On each node, an account can send 60 pings a minute, and 4 at a time.',
    example: {
      body: { url: 'https://hooks.example/keyward' },
      response: { success: true, statusCode: 200, durationMs: 84, responseBody: 'ok', error: null },
    },
    access: 'webhooks:write',
    body: Ping,
    reply: PingResult,
    status: 200,
    errors: ['webhook_not_found', 'too_many_pings'],
    handle: ({ actor, body }) => pinger.ping(actor.principal, body),
  });
