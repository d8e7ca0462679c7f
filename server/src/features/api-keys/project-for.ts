import type { Selectable } from 'kysely';
import { demandCreation, ownProject, type Principal, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { ProjectsTable } from '../../storage/schema.ts';
import type { ProjectCache } from '../projects/index.ts';

export type Project = Selectable<ProjectsTable>;

/** The project of a new key: the given one, that of the caller, or the only active one of the account. */
export async function projectFor(
  projects: ProjectCache,
  principal: Principal,
  projectId: string | undefined,
): Promise<Project> {
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
  const { account_id: accountId, id } = project;
  demandCreation(principal, { kind: 'api-key', accountId, projectId: id });
  if (project.is_active === 0) throw new KeywardError('project_inactive');
  return project;
}
