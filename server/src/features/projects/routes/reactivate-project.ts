import { defineRoute } from '../../../kernel/route.ts';
import { Project, ProjectParams } from '../schema.ts';
import type { ProjectService } from '../service.ts';

export const reactivateProject = (service: ProjectService) =>
  defineRoute({
    method: 'PATCH',
    path: '/projects/:id/reactivate',
    operationId: 'reactivateProject',
    tag: 'projects',
    summary: 'Reactivate a project',
    access: 'projects:write',
    params: ProjectParams,
    reply: Project,
    status: 200,
    errors: ['project_not_found'],
    handle: ({ actor, params }) => service.reactivate(actor, params.id),
  });
