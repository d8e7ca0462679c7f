import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Project } from 'keyward';
import { FolderKanban, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useWorkspace } from '../../api/workspace.ts';
import { useShortcut } from '../../app/browser/shortcuts.ts';
import { useAccount } from '../../app/current.ts';
import { lazyPart } from '../../app/routing/lazy-page.ts';
import { useMay } from '../../app/session/permissions.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { type Act, ProjectDialog } from './project-actions.tsx';
import { projectColumns } from './project-columns.tsx';

const CreateProject = lazyPart(async () => (await import('./create-project.tsx')).CreateProject);

const route = getRouteApi('/shell/a/$accountId/projects');

export function ProjectsPage() {
  const account = useAccount();
  const { projects } = useWorkspace();
  const { create } = route.useSearch();
  const setSearch = route.useNavigate();
  const navigate = useNavigate();
  const mayWrite = useMay('projects:write');
  const [acting, setActing] = useState<{ id: string; act: Act } | null>(null);
  const setCreate = (env: Project['env'] | undefined) =>
    setSearch({ search: { create: env }, replace: true });
  useShortcut('c', 'Create a project', () => setCreate('live'), { enabled: mayWrite });

  const own = projects
    .filter(({ accountId }) => accountId === account.id)
    .toSorted((a, b) => Number(b.isActive) - Number(a.isActive) || a.name.localeCompare(b.name));
  const columns = useMemo(
    () => projectColumns(mayWrite ? (project, act) => setActing({ id: project.id, act }) : null),
    [mayWrite],
  );
  const acted = own.find(({ id }) => id === acting?.id);
  const createButton = mayWrite && (
    <Button kind="solid" icon={<Plus />} onClick={() => setCreate('live')}>
      Create project
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Projects"
        description="Each project has its own keys, access keys, webhooks and usage. Its environment, live or test, cannot be changed."
        actions={createButton}
      />
      <DataTable
        label="Projects"
        columns={columns}
        rows={own}
        rowKey={({ id }) => id}
        onOpen={({ id }) => navigate({ to: '/p/$projectId', params: { projectId: id } })}
        empty={
          <EmptyState
            icon={<FolderKanban />}
            title="No projects yet"
            action={createButton}
            example={{
              label: 'Create a project with curl',
              code: `curl -X POST ${location.origin}/projects \\\n  -H 'x-api-key: <ACCESS_KEY>' \\\n  -H 'content-type: application/json' \\\n  -d '{"name":"Shop","env":"test","accountId":"${account.id}"}'`,
            }}
          >
            A project is one product with its own keys. Start with a test project: nothing you try
            there affects your customers’ keys.
          </EmptyState>
        }
      />
      {create && mayWrite && (
        <CreateProject key={create} env={create} onClose={() => setCreate(undefined)} />
      )}
      {acting && acted && (
        <ProjectDialog act={acting.act} project={acted} onClose={() => setActing(null)} />
      )}
    </>
  );
}
