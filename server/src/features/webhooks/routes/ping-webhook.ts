import { defineRoute } from '../../../kernel/route.ts';
import type { Pinger } from '../pinger.ts';
import { Ping, PingResult } from '../schema.ts';

export const pingWebhook = (pinger: Pinger) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks/ping',
    operationId: 'pingWebhook',
    tag: 'webhooks',
    summary: 'Try an endpoint',
    description:
      'Sends one message to an endpoint, whether a webhook exists for it or not, and tells what came back. It is not signed, since there may be no secret yet. An endpoint that fails is a `200` with `success: false`. An account may send 60 in a minute and wait for 4 at a time, on each node.',
    access: 'webhooks:write',
    body: Ping,
    reply: PingResult,
    status: 200,
    errors: ['webhook_not_found', 'too_many_pings'],
    handle: ({ actor, body }) => pinger.ping(actor.principal, body),
  });
