import { defineRoute } from '../../../kernel/route.ts';
import { Deleted } from '../../../kernel/schemas.ts';
import { WebhookParams } from '../schema.ts';
import type { WebhookService } from '../service.ts';

export const deleteWebhook = (service: WebhookService) =>
  defineRoute({
    method: 'DELETE',
    path: '/webhooks/:id',
    operationId: 'deleteWebhook',
    tag: 'webhooks',
    summary: 'Delete a webhook',
    description: 'What it had not sent yet is cancelled; its secret and its headers are erased.',
    access: 'webhooks:write',
    params: WebhookParams,
    reply: Deleted,
    status: 200,
    errors: ['webhook_not_found'],
    async handle({ actor, params }) {
      await service.delete(actor, params.id);
      return true;
    },
  });
