import { defineRoute } from '../../../kernel/route.ts';
import { Project, ProjectParams } from '../schema.ts';
import type { ProjectService } from '../service.ts';

export const getProject = (service: ProjectService) =>
  defineRoute({
    method: 'GET',
    path: '/projects/:id',
    operationId: 'getProject',
    tag: 'projects',
    summary: 'Read a project',
    access: 'projects:read',
    params: ProjectParams,
    reply: Project,
    status: 200,
    errors: ['project_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.id),
  });
