import type { Leak } from 'keyward';
import { ShieldAlert } from 'lucide-react';
import { useMemo } from 'react';
import { useLeaks } from '../../api/leaks.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { useAccount } from '../../app/current.ts';
import { DateTime } from '../../components/display/date-time.tsx';
import { KeyLink } from '../../components/display/links.tsx';
import { StatusDot } from '../../components/display/status-dot.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import type { Column } from '../../components/tables/column.ts';
import { DataTable } from '../../components/tables/data-table.tsx';

/** Keys and access keys whose values were reported as leaked. */
export function LeaksPage() {
  const account = useAccount();
  const list = useLeaks(account.id);
  const { projects } = useWorkspace();
  const columns = useMemo(() => {
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    return columnsOf((id) => (id === null ? 'All projects' : (names.get(id) ?? id)));
  }, [projects]);
  return (
    <>
      <PageHeader
        title="Leaks"
        description="Keys whose values were reported as leaked, by GitHub or by a scan of your own. Rotate or revoke those that are still active. The settings of a project decide whether leaked keys are revoked automatically."
      />
      {list.error ? (
        <Failure error={list.error} title="Leaks could not be loaded" onRetry={list.refetch} />
      ) : (
        <DataTable
          {...list.table}
          label="Leaks"
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon={<ShieldAlert />} title="No leaks reported">
              Find key values in your repositories with <code>npx keyward scan --git .</code>
            </EmptyState>
          }
        />
      )}
    </>
  );
}

const columnsOf = (projectName: (id: string | null) => string): readonly Column<Leak>[] => [
  {
    id: 'key',
    header: 'Key',
    width: 'minmax(10rem, 2fr)',
    cell: (leak) => (
      <>
        <KeyName leak={leak} />
        <span className="block truncate text-muted text-xs leading-4 sm:hidden">{leak.source}</span>
      </>
    ),
  },
  {
    id: 'project',
    header: 'Project',
    width: 'minmax(7rem, 1fr)',
    optional: 3,
    cell: ({ projectId }) => projectName(projectId),
  },
  {
    id: 'source',
    header: 'Found in',
    width: 'minmax(9rem, 2fr)',
    optional: 2,
    cell: (leak) => <Place leak={leak} />,
  },
  {
    id: 'reported',
    header: 'Reported',
    width: '8rem',
    optional: 1,
    cell: ({ createdAt }) => <DateTime at={createdAt} />,
  },
  {
    id: 'state',
    header: 'Key status',
    width: '7rem',
    cell: ({ isActive }) =>
      isActive === null ? (
        <StatusDot tone="neutral">Deleted</StatusDot>
      ) : isActive ? (
        <StatusDot tone="bad">Active</StatusDot>
      ) : (
        <StatusDot tone="neutral">Inactive</StatusDot>
      ),
  },
];

function KeyName({ leak }: { readonly leak: Leak }) {
  const { keyId, projectId, key, name } = leak;
  const text = name ?? key ?? keyId;
  if (projectId === null || !keyId.startsWith('key_') || name === null)
    return <span className="block truncate font-medium">{text}</span>;
  return (
    <KeyLink projectId={projectId} id={keyId} className="block truncate font-medium underline">
      {text}
    </KeyLink>
  );
}

const Place = ({ leak: { source, url } }: { readonly leak: Leak }) =>
  url === null ? (
    <span className="truncate">{source}</span>
  ) : (
    <a className="truncate underline" href={url} target="_blank" rel="noreferrer noopener">
      {source}
    </a>
  );
