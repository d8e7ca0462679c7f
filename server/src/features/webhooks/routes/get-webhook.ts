import { defineRoute } from '../../../kernel/route.ts';
import { Webhook, WebhookParams } from '../schema.ts';
import type { WebhookService } from '../service.ts';

export const getWebhook = (service: WebhookService) =>
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
