import { defineRoute, type Route } from '../../../kernel/route.ts';
import { WebhookParams } from '../schema.ts';
import { Delivery, DeliveryParams, DeliveryWithPayload, ListDeliveries } from './schema.ts';
import type { DeliveryHistory } from './service.ts';

const CAUSE_DELIVERY = `curl -s -X PATCH "$KEYWARD_URL/api-keys/$KEY" -H "x-api-key: $KEYWARD_ACCESS_KEY" \\
  -H 'content-type: application/json' -d '{ "name": "Ada, live" }' > /dev/null`;

export const deliveryRoutes = (deliveries: DeliveryHistory): Route[] => [
  listDeliveries(deliveries),
  getDelivery(deliveries),
  retryDelivery(deliveries),
];

const listDeliveries = (history: DeliveryHistory) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    operationId: 'listWebhookDeliveries',
    tag: 'webhooks',
    summary: 'List the deliveries of a webhook, newest first',
    description:
      'A delivery is one event for one webhook, with all its attempts. Deliveries are kept for 30 days.',
    example: {
      params: { id: '$WEBHOOK_ID' },
      query: { limit: 10 },
      first: CAUSE_DELIVERY,
      keeps: ['DELIVERY_ID', 'id'],
    },
    access: 'webhooks:read',
    params: WebhookParams,
    query: ListDeliveries,
    reply: Delivery,
    status: 200,
    list: true,
    errors: ['webhook_not_found'],
    handle: ({ actor, params, query }) => history.list(actor.principal, params.id, query),
  });

const getDelivery = (history: DeliveryHistory) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/deliveries/:delivery',
    operationId: 'getWebhookDelivery',
    tag: 'webhooks',
    summary: 'Retrieve a delivery with its payload',
    description:
      'Adds `payload` to the delivery: the event as it was or will be sent, with key values masked.',
    example: { params: { id: '$WEBHOOK_ID', delivery: '$DELIVERY_ID' } },
    access: 'webhooks:read',
    params: DeliveryParams,
    reply: DeliveryWithPayload,
    status: 200,
    errors: ['webhook_not_found', 'delivery_not_found'],
    handle: ({ actor, params }) => history.get(actor.principal, params.id, params.delivery),
  });

const retryDelivery = (history: DeliveryHistory) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/deliveries/:delivery/retry',
    operationId: 'retryWebhookDelivery',
    tag: 'webhooks',
    summary: 'Send a delivery again',
    description:
      'Sends the delivery now and resets its attempt counter. The `webhook-id` stays the same. If the delivery was already delivered or had failed, key values are masked. A cancelled delivery, or one with a topic that the webhook no longer has, cannot be sent again.',
    example: { params: { id: '$WEBHOOK_ID', delivery: '$DELIVERY_ID' } },
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
