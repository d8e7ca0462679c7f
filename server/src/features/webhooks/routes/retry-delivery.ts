import { defineRoute } from '../../../kernel/route.ts';
import type { DeliveryHistory } from '../delivery-history.ts';
import { Delivery, DeliveryParams } from '../delivery-schema.ts';

export const retryDelivery = (history: DeliveryHistory) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/deliveries/:delivery/retry',
    operationId: 'retryWebhookDelivery',
    tag: 'webhooks',
    summary: 'Send a delivery again',
    description:
      'At once, and with all its attempts anew, under the same `webhook-id`. Once its deliveries are over, an event carries the mask in place of a key value.',
    access: 'webhooks:write',
    params: DeliveryParams,
    reply: Delivery,
    status: 200,
    errors: [
      'webhook_not_found',
      'delivery_not_found',
      'delivery_cancelled',
      'webhook_not_live',
      'project_inactive',
    ],
    handle: ({ actor, params }) => history.retry(actor, params.id, params.delivery),
  });
