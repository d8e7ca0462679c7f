import { useNavigate } from '@tanstack/react-router';
import type { Project } from 'keyward';
import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import { useWorkspace } from '../../api/workspace.ts';
import { EnvBadge } from '../../components/display/badge.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../components/overlays/menu.tsx';
import { useCurrent } from '../current.ts';

/** Shows the current project and switches between projects, of all accounts. */
export function ProjectSwitcher() {
  const { accounts, projects } = useWorkspace();
  const { account, project } = useCurrent();
  const navigate = useNavigate();
  if (!account) return null;

  const open = (projectId: string) => navigate({ to: '/p/$projectId', params: { projectId } });
  const manage = () =>
    navigate({ to: '/a/$accountId/projects', params: { accountId: account.id } });
  return (
    <Menu
      align="start"
      label="Projects"
      trigger={
        <button
          type="button"
          aria-label={`Switch project. Current: ${project ? `${project.name}, ${project.env}` : 'none'}`}
          className="flex w-full items-center gap-2 rounded-lg border border-line bg-surface px-2.5 py-2 text-left shadow-raised transition-colors hover:bg-hover"
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate font-semibold">{project?.name ?? 'No project'}</span>
            <span className="block truncate text-faint text-xs">{account.name}</span>
          </span>
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-faint" />
        </button>
      }
    >
      {accounts.map(({ id, name }) => (
        <div key={id}>
          {accounts.length > 1 && <MenuLabel>{name}</MenuLabel>}
          {projectsOf(projects, id).map((one) => (
            <MenuItem key={one.id} onSelect={() => open(one.id)} checked={one.id === project?.id}>
              <span className="flex items-center gap-2">
                <span className="min-w-0 flex-1 truncate">{one.name}</span>
                {!one.isActive && <span className="text-faint text-xs">inactive</span>}
                <EnvBadge env={one.env} />
                {one.id === project?.id ? <Check aria-hidden /> : <span className="size-4" />}
              </span>
            </MenuItem>
          ))}
        </div>
      ))}
      <MenuSeparator />
      <MenuItem icon={<Plus />} onSelect={manage}>
        Manage projects
      </MenuItem>
    </Menu>
  );
}

const projectsOf = (projects: readonly Project[], accountId: string): Project[] =>
  projects
    .filter((project) => project.accountId === accountId)
    .toSorted((a, b) => Number(b.isActive) - Number(a.isActive) || a.name.localeCompare(b.name));
