import { useNavigate, useRouter } from '@tanstack/react-router';
import type { Project } from 'keyward';
import { rememberProject } from '../current.ts';

/**
 * Switches to another project of the account. On a page of a project, opens the same page there; on the
 * page of one item, opens its list.
 */
export function useSwitchProject(): (project: Project) => void {
  const router = useRouter();
  const navigate = useNavigate();
  return (project) => {
    const route = router.state.matches.at(-1)?.fullPath;
    if (route?.startsWith('/p/'))
      return void navigate({ to: listOf(route), params: { projectId: project.id } });
    rememberProject(project.id);
  };
}

type ProjectPage =
  | '/p/$projectId'
  | '/p/$projectId/keys'
  | '/p/$projectId/customers'
  | '/p/$projectId/plans'
  | '/p/$projectId/access-keys'
  | '/p/$projectId/webhooks'
  | '/p/$projectId/analytics'
  | '/p/$projectId/quick-start';

/** `/p/$projectId/keys/$keyId` exists in one project only, so the list is opened instead. */
const listOf = (route: string): ProjectPage =>
  route.split('/').slice(0, 4).join('/').replace(/\/$/, '') as ProjectPage;
