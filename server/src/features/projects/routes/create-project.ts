import { defineRoute } from '../../../kernel/route.ts';
import { CreateProject, Project } from '../schema.ts';
import type { ProjectService } from '../service.ts';

export const createProject = (service: ProjectService) =>
  defineRoute({
    method: 'POST',
    path: '/projects',
    operationId: 'createProject',
    tag: 'projects',
    summary: 'Create a project',
    description:
      'Needs an account-level access key. `env` decides the prefix of its keys and cannot change.',
    access: 'projects:write',
    body: CreateProject,
    reply: Project,
    status: 201,
    creates: true,
    errors: ['account_not_found', 'level_too_low'],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  });
