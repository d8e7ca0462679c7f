import Type from 'typebox';
import { defineRoute, type Route } from '../../kernel/route.ts';
import { Deleted } from '../../kernel/schemas.ts';
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
      'The answer holds the `secret` that signs the deliveries; it is shown here and when it is rotated, never again. `projectId` defaults to the project of the access key; `null`, the default of an account-level access key, means all projects of the account. `api-key.created` needs the scope `keys:write` too, `access-key.created` the scope `access-keys:write`: their events carry the value of the new key if the caller could create that key, otherwise the mask.',
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
    description: 'A project-level access key sees those of exactly its project.',
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
    summary: 'Read a webhook',
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
    summary: 'Update a webhook, pause it, or let it go on',
    description:
      'What is left out stays as it is; `customHeaders` and `topics` are replaced whole. `status: live` also brings a disabled webhook back, and sends what was held. Moved to another project, it no longer sends what waits of the one before. While `topics` hold `api-key.created`, changing `url`, `topics` or `projectId`, going on or taking over needs the scope `keys:write` too; with `access-key.created`, `access-keys:write`. Events carry key values only if everybody in `setBy` could create the key; `takeOver: true` puts the caller there.',
    access: 'webhooks:write',
    params: WebhookParams,
    body: UpdateWebhook,
    reply: Webhook,
    status: 200,
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
    description: 'What it had not sent yet is cancelled; its secret and its headers are erased.',
    access: 'webhooks:write',
    params: WebhookParams,
    reply: Deleted,
    status: 200,
    errors: ['webhook_not_found'],
    async handle({ actor, params }) {
      await service.delete(actor, params.id);
      return true;
    },
  });

const rotateWebhookSecret = (service: WebhookService) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    tag: 'webhooks',
    summary: 'Give a webhook a new secret',
    description:
      'The old secret goes on signing beside the new one for 24 hours: each delivery carries both signatures until then, and the secret is not rotated again before.',
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
    summary: 'Try an endpoint',
    description:
      'Sends one message to an endpoint, whether a webhook exists for it or not, and tells what came back. It is not signed, since there may be no secret yet. An endpoint that fails is a `200` with `success: false`. An account may send 60 in a minute and wait for 4 at a time, on each node.',
    access: 'webhooks:write',
    body: Ping,
    reply: PingResult,
    status: 200,
    errors: ['webhook_not_found', 'too_many_pings'],
    handle: ({ actor, body }) => pinger.ping(actor.principal, body),
  });
