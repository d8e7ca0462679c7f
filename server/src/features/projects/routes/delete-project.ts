import { defineRoute } from '../../../kernel/route.ts';
import { Deleted } from '../../../kernel/schemas.ts';
import { ProjectParams } from '../schema.ts';
import type { ProjectService } from '../service.ts';

export const deleteProject = (service: ProjectService) =>
  defineRoute({
    method: 'DELETE',
    path: '/projects/:id',
    operationId: 'deleteProject',
    tag: 'auth_api_v1',
    summary: 'Make a project inactive',
    description:
      'From that moment its keys are refused with 404 and its access keys with 401. Reactivating it restores all as it was.',
    access: 'projects:write',
    params: ProjectParams,
    reply: Deleted,
    status: 200,
    errors: ['project_not_found'],
    async handle({ actor, params }) {
      await service.deactivate(actor, params.id);
      return true;
    },
  });
