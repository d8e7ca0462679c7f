import { defineRoute } from '../../../kernel/route.ts';
import { columnsOf, ProjectTotals, TotalsQuery } from '../schema.ts';
import type { AnalyticsService } from '../service.ts';

export const getProjectTotals = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/project-totals',
    operationId: 'getProjectTotals',
    tag: 'analytics',
    summary: 'How often the keys of each project were validated',
    description:
      'One row a project, or a project and bucket. What a key counted stays in the sum of its project when the key is erased. With `key`, `customAccountId` or `customUserId` only those keys are summed up.',
    access: 'analytics:read',
    query: TotalsQuery,
    reply: ProjectTotals,
    status: 200,
    list: true,
    csv: columnsOf(ProjectTotals),
    errors: ['key_not_found', 'project_not_found', 'project_required'],
    handle: ({ actor, query }) => service.projectTotals(actor.principal, query),
  });
