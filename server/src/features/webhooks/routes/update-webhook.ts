import { defineRoute } from '../../../kernel/route.ts';
import { UpdateWebhook, Webhook, WebhookParams } from '../schema.ts';
import type { WebhookService } from '../service.ts';

export const updateWebhook = (service: WebhookService) =>
  defineRoute({
    method: 'PATCH',
    path: '/webhooks/:id',
    operationId: 'updateWebhook',
    tag: 'webhooks',
    summary: 'Update a webhook, pause it, or let it go on',
    description:
      'What is left out stays as it is; `customHeaders` and `topics` are replaced whole. `status: live` also brings a disabled webhook back, and sends what was held. Moved to another project, it no longer sends what waits of the one before. While `topics` hold `api-key.created`, changing `url`, `topics` or `projectId`, going on or taking over needs the scope `keys:write` too; with `access-key.created`, `access-keys:write`. Events carry key values only if everybody in `setBy` could create the key; `takeOver: true` puts the caller there.',
    access: 'webhooks:write',
    params: WebhookParams,
    body: UpdateWebhook,
    reply: Webhook,
    status: 200,
    errors: ['webhook_not_found', 'level_too_low', 'project_not_found', 'project_inactive'],
    handle: ({ actor, params, body }) => service.update(actor, params.id, body),
  });
