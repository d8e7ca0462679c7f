import { defineRoute } from '../../../kernel/route.ts';
import { Replay, ReplayParams } from '../replay-schema.ts';
import type { ReplayService } from '../replay-service.ts';

export const getReplay = (replays: ReplayService) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/replays/:replay',
    operationId: 'getWebhookReplay',
    tag: 'webhooks',
    summary: 'Read how far a replay is',
    access: 'webhooks:read',
    params: ReplayParams,
    reply: Replay,
    status: 200,
    errors: ['webhook_not_found', 'replay_not_found'],
    handle: ({ actor, params }) => replays.get(actor.principal, params.id, params.replay),
  });
