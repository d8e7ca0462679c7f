import { defineRoute, type Route } from '../../../kernel/route.ts';
import { WebhookParams } from '../schema.ts';
import { ListReplays, Replay, ReplayParams, StartReplay } from './schema.ts';
import type { ReplayService } from './service.ts';

/** A recorded one would say how far it was by chance. */
const EXAMPLE_REPLAY = {
  id: 'rpl_01jz5n8w3e7xk2m4q6s8v00001',
  webhookId: 'whk_01jz5n8w3e7xk2m4q6s8v00002',
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-01-31T12:00:00.000Z',
  status: 'running',
  total: 1,
  queued: 0,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
};

export const replayRoutes = (replays: ReplayService): Route[] => [
  startReplay(replays),
  listReplays(replays),
  getReplay(replays),
];

const startReplay = (replays: ReplayService) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/replay',
    operationId: 'startWebhookReplay',
    tag: 'webhooks',
    summary: 'Replay the events of a time range',
    description:
      'Sends past events that match the current topics of the webhook again: those to which a webhook of the account, live or not, was subscribed when they happened. Each keeps its original `webhook-id`; key values are masked. The replay runs in the background; `GET /webhooks/{id}/replays` shows its progress.',
    example: {
      params: { id: '$WEBHOOK_ID' },
      body: { since: '2026-01-01T00:00:00Z' },
      keeps: ['REPLAY_ID', 'id'],
      response: EXAMPLE_REPLAY,
    },
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

const listReplays = (replays: ReplayService) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/replays',
    operationId: 'listWebhookReplays',
    tag: 'webhooks',
    summary: 'List the replays of a webhook, newest first',
    description: 'Each replay with its time range and its progress.',
    example: { params: { id: '$WEBHOOK_ID' }, query: { limit: 10 }, response: [EXAMPLE_REPLAY] },
    access: 'webhooks:read',
    params: WebhookParams,
    query: ListReplays,
    reply: Replay,
    status: 200,
    list: true,
    errors: ['webhook_not_found'],
    handle: ({ actor, params, query }) => replays.list(actor.principal, params.id, query),
  });

const getReplay = (replays: ReplayService) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/replays/:replay',
    operationId: 'getWebhookReplay',
    tag: 'webhooks',
    summary: 'Retrieve the progress of a replay',
    description:
      '`queued` of `total` events have been queued for delivery so far. Deliveries of a replay have its id in `replayId`.',
    example: {
      params: { id: '$WEBHOOK_ID', replay: '$REPLAY_ID' },
      response: { ...EXAMPLE_REPLAY, status: 'done', queued: 1 },
    },
    access: 'webhooks:read',
    params: ReplayParams,
    reply: Replay,
    status: 200,
    errors: ['webhook_not_found', 'replay_not_found'],
    handle: ({ actor, params }) => replays.get(actor.principal, params.id, params.replay),
  });
