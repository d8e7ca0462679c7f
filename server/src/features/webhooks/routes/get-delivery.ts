import { defineRoute } from '../../../kernel/route.ts';
import type { DeliveryHistory } from '../delivery-history.ts';
import { DeliveryParams, DeliveryWithPayload } from '../delivery-schema.ts';

export const getDelivery = (history: DeliveryHistory) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/deliveries/:delivery',
    operationId: 'getWebhookDelivery',
    tag: 'webhooks',
    summary: 'Read a delivery, with what it sends',
    access: 'webhooks:read',
    params: DeliveryParams,
    reply: DeliveryWithPayload,
    status: 200,
    errors: ['webhook_not_found', 'delivery_not_found'],
    handle: ({ actor, params }) => history.get(actor.principal, params.id, params.delivery),
  });
