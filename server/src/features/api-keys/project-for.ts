import { type Principal, requireCreation } from '../../kernel/authority.ts';
import { chooseProject, type ProjectCache, type ProjectRow } from '../projects/index.ts';

/** The project of a new key. */
export const projectFor = (
  projects: ProjectCache,
  principal: Principal,
  projectId: string | undefined,
): Promise<ProjectRow> =>
  chooseProject(projects, principal, projectId, (resource) =>
    requireCreation(principal, { kind: 'api-key', ...resource }),
  );
