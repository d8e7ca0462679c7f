import type { Selectable } from 'kysely';
import { demandCreation, ownProject, type Principal, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { ProjectsTable } from '../../storage/schema.ts';
import type { ProjectsAtHand } from '../projects/index.ts';

export type Project = Selectable<ProjectsTable>;

/** The project that gets a new key: the one named, the caller's own, or the only one there is. */
export async function projectFor(
  projects: ProjectsAtHand,
  principal: Principal,
  projectId: string | undefined,
): Promise<Project> {
  const tenant = tenantOf(principal);
  const wanted = projectId ?? ownProject(tenant);
  const project =
    wanted === null
      ? await projects.only(tenant.accountId)
      : await projects.named(tenant.accountId, wanted);
  if (!project)
    throw new KeywardError(
      wanted === null ? 'project_required' : 'project_not_found',
      wanted === null
        ? 'Say which project with projectId: this account does not have exactly one active project.'
        : undefined,
    );
  const { account_id: accountId, id } = project;
  demandCreation(principal, { kind: 'api-key', accountId, projectId: id });
  if (project.is_active === 0) throw new KeywardError('project_inactive');
  return project;
}
