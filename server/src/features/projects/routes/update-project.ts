import { defineRoute } from '../../../kernel/route.ts';
import { Project, ProjectParams, UpdateProject } from '../schema.ts';
import type { ProjectService } from '../service.ts';

export const updateProject = (service: ProjectService) =>
  defineRoute({
    method: 'PATCH',
    path: '/projects/:id',
    operationId: 'updateProject',
    tag: 'auth_api_v1',
    summary: 'Rename a project',
    access: 'projects:write',
    params: ProjectParams,
    body: UpdateProject,
    reply: Project,
    status: 200,
    errors: ['project_not_found'],
    handle: ({ actor, params, body }) => service.rename(actor, params.id, body.name),
  });
