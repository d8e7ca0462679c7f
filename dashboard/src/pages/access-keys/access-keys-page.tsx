import { getRouteApi } from '@tanstack/react-router';
import { Plus, ShieldCheck } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useAccessKeys } from '../../api/access-keys.ts';
import { useShortcut } from '../../app/browser/shortcuts.ts';
import { useProject } from '../../app/current.ts';
import { lazyPart } from '../../app/routing/lazy-page.ts';
import { useMay } from '../../app/session/permissions.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Segmented } from '../../components/forms/segmented.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { FilterBar } from '../../components/tables/filter-bar.tsx';
import { useSearchText } from '../../hooks/use-search-text.ts';
import { counted } from '../../text/numbers.ts';
import { AccessKeyDialog, type Act } from './access-key-actions.tsx';
import { accessKeyColumns } from './access-key-columns.tsx';
import { AccessKeySheet } from './access-key-sheet.tsx';

const CreateAccessKey = lazyPart(
  async () => (await import('./create-access-key.tsx')).CreateAccessKey,
);

const route = getRouteApi('/shell/p/$projectId/access-keys');

export function AccessKeysPage() {
  const project = useProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('access-keys:write');
  const query = useAccessKeys(project.id);
  const [creating, setCreating] = useState(false);
  const [acting, setActing] = useState<{ id: string; act: Act } | null>(null);
  useShortcut('c', 'Create an access key', () => setCreating(true), { enabled: mayWrite });

  const all = query.data ?? [];
  const text = (search.q ?? '').toLowerCase();
  const rows = all.filter(
    ({ name, id, key, isActive }) =>
      (name.toLowerCase().includes(text) || id === search.q || key.startsWith(search.q ?? '')) &&
      (search.state === undefined || isActive === (search.state === 'active')),
  );
  const columns = useMemo(
    () => accessKeyColumns(mayWrite ? ({ id }, act) => setActing({ id, act }) : null),
    [mayWrite],
  );
  const set = useCallback(
    (part: Partial<typeof search>) =>
      void navigate({ search: (before) => ({ ...before, ...part }), replace: true }),
    [navigate],
  );
  const setUrlText = useCallback((q: string) => set({ q: q || undefined }), [set]);
  const [typed, setTyped] = useSearchText(search.q ?? '', setUrlText);
  const byId = (id: string | undefined) => all.find((one) => one.id === id);
  const acted = byId(acting?.id);
  const opened = byId(search.open);
  const createButton = mayWrite && (
    <Button kind="solid" icon={<Plus />} onClick={() => setCreating(true)}>
      Create access key
    </Button>
  );

  return (
    <>
      <PageHeader
        title="Access keys"
        description="Credentials that your servers use to call Keyward, to validate or manage keys."
        actions={createButton}
      />
      {query.isError ? (
        <Failure
          error={query.error}
          title="The access keys could not be loaded"
          onRetry={query.refetch}
        />
      ) : (
        <>
          <FilterBar
            search={{
              label: 'Search access keys',
              value: typed,
              onChange: setTyped,
            }}
            count={query.data && counted(rows.length, 'access key')}
          >
            <Segmented
              label="Status"
              value={search.state ?? 'all'}
              options={[
                { value: 'all', label: 'All' },
                { value: 'active', label: 'Active' },
                { value: 'revoked', label: 'Revoked' },
              ]}
              onChange={(state) => set({ state: state === 'all' ? undefined : state })}
            />
          </FilterBar>
          <DataTable
            label="Access keys"
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            isLoading={query.isPending}
            onOpen={({ id }) => set({ open: id })}
            empty={
              all.length > 0 ? (
                <EmptyState title="No matching access keys">
                  No access keys match your search.
                </EmptyState>
              ) : (
                <NoAccessKeys action={createButton} />
              )
            }
          />
        </>
      )}
      {creating && <CreateAccessKey onClose={() => setCreating(false)} />}
      {opened && !acting && (
        <AccessKeySheet
          accessKey={opened}
          onClose={() => set({ open: undefined })}
          onAct={(act) => setActing({ id: opened.id, act })}
        />
      )}
      {acting && acted && (
        <AccessKeyDialog act={acting.act} accessKey={acted} onClose={() => setActing(null)} />
      )}
    </>
  );
}

function NoAccessKeys({ action }: { readonly action: React.ReactNode }) {
  const project = useProject();
  return (
    <EmptyState
      icon={<ShieldCheck />}
      title="No access keys yet"
      action={action}
      example={{
        label: 'Validate a key with curl',
        code: `curl -X POST ${location.origin}/api-keys/auth \\\n  -H 'x-api-key: <ACCESS_KEY>' \\\n  -H 'content-type: application/json' \\\n  -d '{"key":"<API_KEY>"}'`,
      }}
    >
      Your servers send an access key in the <code>x-api-key</code> header of each request. Start
      with one that can only validate keys in {project.name}: if it leaks, it cannot be used to
      change anything.
    </EmptyState>
  );
}
