import { defineRoute } from '../../../kernel/route.ts';
import type { DeliveryHistory } from '../delivery-history.ts';
import { Delivery, ListDeliveries } from '../delivery-schema.ts';
import { WebhookParams } from '../schema.ts';

export const listDeliveries = (history: DeliveryHistory) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    operationId: 'listWebhookDeliveries',
    tag: 'webhooks',
    summary: 'List the deliveries of a webhook, newest first',
    description: 'Kept for 30 days.',
    access: 'webhooks:read',
    params: WebhookParams,
    query: ListDeliveries,
    reply: Delivery,
    status: 200,
    list: true,
    errors: ['webhook_not_found'],
    handle: ({ actor, params, query }) => history.list(actor.principal, params.id, query),
  });
