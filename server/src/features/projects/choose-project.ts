import { ownProject, type Principal, type Resource, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { ProjectCache } from './project-cache.ts';
import type { ProjectRow } from './store.ts';

/**
 * The project of a new resource: the given project, the project of the caller, or the only active project
 * of the account. It must be active. `requireAccess` throws if the caller may not create the resource there.
 */
export async function chooseProject(
  projects: ProjectCache,
  principal: Principal,
  projectId: string | undefined,
  requireAccess: (resource: Resource & { readonly projectId: string }) => void,
): Promise<ProjectRow> {
  const tenant = tenantOf(principal);
  const wanted = projectId ?? ownProject(tenant);
  const project =
    wanted === null
      ? await projects.findOnlyActive(tenant.accountId)
      : await projects.find(tenant.accountId, wanted);
  if (!project)
    throw new KeywardError(
      wanted === null ? 'project_required' : 'project_not_found',
      wanted === null
        ? 'Set projectId: this account does not have exactly one active project.'
        : undefined,
    );
  requireAccess({ accountId: project.account_id, projectId: project.id });
  if (project.is_active === 0) throw new KeywardError('project_inactive');
  return project;
}
