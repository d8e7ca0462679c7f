import { getRouteApi } from '@tanstack/react-router';
import type { ApiKey } from 'keyward';
import { KeyRound, Plus } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { firstApiKeys, useApiKeyCount, useApiKeys } from '../../../api/api-keys.ts';
import { useShortcut } from '../../../app/browser/shortcuts.ts';
import { useProject } from '../../../app/current.ts';
import { lazyPart } from '../../../app/routing/lazy-page.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import type { Sort } from '../../../components/tables/column.ts';
import { DataTable } from '../../../components/tables/data-table.tsx';
import { counted, wholeNumber } from '../../../text/numbers.ts';
import type { KeyDialog } from '../dialogs/key-dialogs.tsx';
import { KeyDialogs } from '../dialogs/lazy-dialogs.ts';
import { keyColumns } from './key-columns.tsx';
import { KeyFilters } from './key-filters.tsx';
import { KeyRowMenu } from './key-row-menu.tsx';
import { isFiltered, type KeySearch, queryOf } from './key-search.ts';
import { SelectionBar } from './selection-bar.tsx';
import { useKeySelection } from './use-key-selection.ts';

const route = getRouteApi('/shell/p/$projectId/keys');

const CreateKeyDialog = lazyPart(
  async () => (await import('../dialogs/create-key-dialog.tsx')).CreateKeyDialog,
);

type Change = { [Name in keyof KeySearch]?: KeySearch[Name] | undefined };

const rowKey = (key: ApiKey) => key.id;
const selectLabel = (key: ApiKey) => `Select ${key.name}`;

export function KeysPage() {
  const project = useProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('keys:write');
  const { create: _, ...filter } = search;
  const name = JSON.stringify([project.id, filter]);
  const query = queryOf(search, project.id, useTimeOfChange(name));
  const keys = useApiKeys(query);
  const count = useApiKeyCount(query).data;
  const selection = useKeySelection(name);
  const [acting, setActing] = useState<{ dialog: KeyDialog; key: ApiKey } | null>(null);
  const columns = useMemo(
    () =>
      keyColumns((key) => (
        <KeyRowMenu
          key={key.id}
          apiKey={key}
          onOpen={(dialog, of) => setActing({ dialog, key: of })}
        />
      )),
    [],
  );

  const change = useCallback(
    (changed: Change) =>
      void navigate({
        search: (before) => ({ ...before, ...changed }) as KeySearch,
        replace: true,
      }),
    [navigate],
  );
  const open = useCallback(
    (key: ApiKey) =>
      void navigate({
        to: '/p/$projectId/keys/$keyId',
        params: { projectId: key.projectId, keyId: key.id },
      }),
    [navigate],
  );
  const create = () => void navigate({ search: (before) => ({ ...before, create: true }) });
  useShortcut('c', 'Create a key', create, { enabled: mayWrite });

  const { rows, isLoading } = keys.table;
  const isEmpty = rows.length === 0 && !isLoading && !isFiltered(search);
  return (
    <>
      <PageHeader
        title="Keys"
        description="API keys that your customers send with their requests."
        actions={
          mayWrite && (
            <Button kind="solid" icon={<Plus />} onClick={create}>
              Create key
            </Button>
          )
        }
      />
      {!isEmpty && (
        <KeyFilters search={search} onChange={change} count={count && countText(count)} />
      )}
      {selection.keys.length > 0 && (
        <SelectionBar
          {...selection}
          projectName={project.name}
          total={count?.count}
          onSelectAll={async () => selection.select(await firstApiKeys(query))}
        />
      )}
      {keys.error ? (
        <Failure error={keys.error} title="The keys could not be loaded" onRetry={keys.refetch} />
      ) : (
        <DataTable
          {...keys.table}
          label="Keys"
          columns={columns}
          rowKey={rowKey}
          onOpen={open}
          sort={sortOf(search)}
          onSort={({ column, direction }) =>
            change({ sort: column as NonNullable<KeySearch['sort']>, order: direction })
          }
          {...(mayWrite && {
            selection: {
              selected: selection.selected,
              onToggle: selection.toggle,
              onToggleAll: selection.select,
              labelOf: selectLabel,
            },
          })}
          scrollKey={name}
          empty={isEmpty ? <NoKeys onCreate={mayWrite ? create : undefined} /> : <NothingFound />}
        />
      )}
      {acting && (
        <KeyDialogs
          open={acting.dialog}
          apiKey={acting.key}
          onClose={() => setActing(null)}
          onErased={async () => selection.clear()}
        />
      )}
      {search.create && mayWrite && (
        <CreateKeyDialog
          customAccountId={search.account === 'null' ? undefined : search.account}
          onClose={() => change({ create: undefined })}
        />
      )}
    </>
  );
}

/** The time when `name` last changed, so that the query for expired keys changes only with the filters. */
function useTimeOfChange(name: string): number {
  const [since, setSince] = useState(() => ({ name, now: Date.now() }));
  if (since.name !== name) setSince({ name, now: Date.now() });
  return since.now;
}

const countText = ({ count, isExact }: { count: number; isExact: boolean }): string =>
  isExact ? counted(count, 'key') : `More than ${wholeNumber(count)} keys`;

function sortOf({ sort, order, state }: KeySearch): Sort {
  const column = sort ?? (state === 'expiring' ? 'expiresAt' : 'createdAt');
  const defaultOrder = column === 'name' || column === 'expiresAt' ? 'ascending' : 'descending';
  return { column, direction: order ?? defaultOrder };
}

function NoKeys({ onCreate }: { readonly onCreate: (() => void) | undefined }) {
  const project = useProject();
  return (
    <EmptyState
      icon={<KeyRound />}
      title="No keys yet"
      action={
        onCreate && (
          <Button kind="solid" icon={<Plus />} onClick={onCreate}>
            Create your first key
          </Button>
        )
      }
      example={{ label: 'Create a key with curl', code: creationCurl(project.id) }}
    >
      Give each of your customers a key. They send it with every request, your server validates it
      with Keyward, and you see here who uses your API and how much.
    </EmptyState>
  );
}

const NothingFound = () => (
  <EmptyState title="No matching keys">
    Search matches names, customer IDs, and a whole key value or its start. Clear a filter to see
    more keys.
  </EmptyState>
);

const creationCurl = (projectId: string): string =>
  [
    `curl -s ${location.origin}/api-keys`,
    "-H 'x-api-key: <ACCESS_KEY>'",
    "-H 'content-type: application/json'",
    `-d '${JSON.stringify({ projectId, name: 'Acme, production', customAccountId: 'acme' })}'`,
  ].join(' \\\n  ');
