import { defineRoute } from '../../../kernel/route.ts';
import { ListReplays, Replay } from '../replay-schema.ts';
import type { ReplayService } from '../replay-service.ts';
import { WebhookParams } from '../schema.ts';

export const listReplays = (replays: ReplayService) =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/replays',
    operationId: 'listWebhookReplays',
    tag: 'webhooks',
    summary: 'List the replays of a webhook, newest first',
    access: 'webhooks:read',
    params: WebhookParams,
    query: ListReplays,
    reply: Replay,
    status: 200,
    list: true,
    errors: ['webhook_not_found'],
    handle: ({ actor, params, query }) => replays.list(actor.principal, params.id, query),
  });
