import { defineRoute } from '../../../kernel/route.ts';
import { ListWebhooks, Webhook } from '../schema.ts';
import type { WebhookService } from '../service.ts';

export const listWebhooks = (service: WebhookService) =>
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
