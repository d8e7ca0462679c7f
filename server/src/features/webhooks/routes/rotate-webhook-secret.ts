import { defineRoute } from '../../../kernel/route.ts';
import { WebhookParams, WebhookWithSecret } from '../schema.ts';
import type { WebhookService } from '../service.ts';

export const rotateWebhookSecret = (service: WebhookService) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    tag: 'webhooks',
    summary: 'Give a webhook a new secret',
    description:
      'The old secret goes on signing beside the new one for 24 hours: each delivery carries both signatures until then, and the secret is not rotated again before.',
    access: 'webhooks:write',
    params: WebhookParams,
    reply: WebhookWithSecret,
    status: 200,
    errors: ['webhook_not_found', 'secret_rotating'],
    handle: ({ actor, params }) => service.rotateSecret(actor, params.id),
  });
