import { defineRoute, type Route } from '../../kernel/route.ts';
import { Deleted } from '../../kernel/schemas.ts';
import { CreateProject, ListProjects, Project, ProjectParams, UpdateProject } from './schema.ts';
import type { ProjectService } from './service.ts';

export const projectRoutes = (service: ProjectService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/projects',
    operationId: 'createProject',
    tag: 'projects',
    summary: 'Create a project',
    description:
      'Requires an account-level access key. `env` cannot be changed later. It determines the default key prefix, `live_` or `test_`; `keyPrefix` overrides it.',
    access: 'projects:write',
    body: CreateProject,
    reply: Project,
    status: 201,
    creates: true,
    errors: ['account_not_found', 'level_too_low'],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  }),
  defineRoute({
    method: 'GET',
    path: '/projects',
    operationId: 'listProjects',
    tag: 'projects',
    summary: 'List projects, newest first',
    access: 'projects:read',
    query: ListProjects,
    reply: Project,
    status: 200,
    list: true,
    errors: ['account_not_found'],
    handle: async ({ actor, query }) => service.list(actor.principal, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/projects/:id',
    operationId: 'getProject',
    tag: 'projects',
    summary: 'Retrieve a project',
    access: 'projects:read',
    params: ProjectParams,
    reply: Project,
    status: 200,
    errors: ['project_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/projects/:id',
    operationId: 'updateProject',
    tag: 'auth_api_v1',
    summary: 'Update a project',
    description:
      'Fields that you omit are not changed. A new `keyPrefix` applies to keys created or rotated from then on. `defaultPlanId` applies at once to each key if neither the key nor its customer has a plan.',
    access: 'projects:write',
    params: ProjectParams,
    body: UpdateProject,
    reply: Project,
    status: 200,
    updates: true,
    errors: ['project_not_found', 'plan_not_found'],
    handle: ({ actor, params, body }) => service.update(actor, params.id, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/projects/:id',
    operationId: 'deleteProject',
    tag: 'auth_api_v1',
    summary: 'Deactivate a project',
    description:
      'Its keys are then rejected with 404, and its access keys with 401. Reactivating the project restores them.',
    access: 'projects:write',
    params: ProjectParams,
    reply: Deleted,
    status: 200,
    errors: ['project_not_found'],
    async handle({ actor, params }) {
      await service.deactivate(actor, params.id);
      return true;
    },
  }),
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
  }),
];
