import { defineRoute } from '../../../kernel/route.ts';
import { AccessKey, CreateAccessKey } from '../schema.ts';
import type { AccessKeyService } from '../service.ts';

export const createAccessKey = (service: AccessKeyService) =>
  defineRoute({
    method: 'POST',
    path: '/access-keys',
    operationId: 'createAccessKey',
    tag: 'access-keys',
    summary: 'Create an access key',
    description:
      'The answer is the only place where the whole value is shown. Nobody can grant a scope or a level that they do not hold.',
    access: 'access-keys:write',
    body: CreateAccessKey,
    reply: AccessKey,
    status: 201,
    creates: true,
    errors: [
      'account_not_found',
      'project_not_found',
      'level_too_low',
      'grant_exceeds_own',
      'project_inactive',
    ],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  });
