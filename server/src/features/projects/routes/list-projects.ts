import { defineRoute } from '../../../kernel/route.ts';
import { ListProjects, Project } from '../schema.ts';
import type { ProjectService } from '../service.ts';

export const listProjects = (service: ProjectService) =>
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
  });
