import { defineRoute } from '../../../kernel/route.ts';
import { CreateWebhook, WebhookWithSecret } from '../schema.ts';
import type { WebhookService } from '../service.ts';

export const createWebhook = (service: WebhookService) =>
  defineRoute({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    tag: 'auth_api_v1',
    summary: 'Create a webhook',
    description:
      'The answer holds the `secret` that signs the deliveries; it is shown here and when it is rotated, never again. `projectId` defaults to the project of the access key; `null`, the default of an account-level access key, means all projects of the account. `api-key.created` needs the scope `keys:write` too, `access-key.created` the scope `access-keys:write`: their events carry the value of the new key if the caller could create that key, otherwise the mask.',
    access: 'webhooks:write',
    body: CreateWebhook,
    reply: WebhookWithSecret,
    status: 201,
    creates: true,
    errors: ['account_not_found', 'level_too_low', 'project_not_found', 'project_inactive'],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  });
