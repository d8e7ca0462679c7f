import { defineRoute } from '../../../kernel/route.ts';
import { Replay, StartReplay } from '../replay-schema.ts';
import type { ReplayService } from '../replay-service.ts';
import { WebhookParams } from '../schema.ts';

export const startReplay = (replays: ReplayService) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/replay',
    operationId: 'startWebhookReplay',
    tag: 'webhooks',
    summary: 'Send the events of a time range again',
    description:
      'Those that the webhook subscribes to today, each under its own `webhook-id` and with key values masked. The answer comes at once; `GET /webhooks/{id}/replays` tells how far it is.',
    access: 'webhooks:write',
    params: WebhookParams,
    body: StartReplay,
    reply: Replay,
    status: 201,
    creates: true,
    errors: ['webhook_not_found', 'webhook_not_live', 'replay_running'],
    handle: ({ actor, params, body, idempotency }) =>
      replays.start(actor, params.id, body, idempotency),
  });
