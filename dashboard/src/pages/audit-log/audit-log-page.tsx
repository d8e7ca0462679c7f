import { getRouteApi } from '@tanstack/react-router';
import type { AuditLog } from 'keyward';
import { Download, ScrollText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type AuditFilters, auditPages, useActors, useAuditLog } from '../../api/audit-logs.ts';
import { useSearchItems, useTargetIds } from '../../api/search.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { saveFile } from '../../app/browser/save-file.ts';
import { useAccount } from '../../app/current.ts';
import { Button } from '../../components/buttons/button.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { StatusDot } from '../../components/display/status-dot.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { toast, toastFailure } from '../../components/feedback/toasts.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import type { Column } from '../../components/tables/column.ts';
import { DataTable } from '../../components/tables/data-table.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { useNow } from '../../hooks/use-now.ts';
import { counted } from '../../text/numbers.ts';
import { AuditEntrySheet } from './audit-entry-sheet.tsx';
import { AuditFilterBar, filtersOf } from './audit-filters.tsx';
import { actorName, sentenceOf } from './sentences.ts';

const route = getRouteApi('/shell/a/$accountId/audit-log');

type NameOf = (id: string) => string | null;

export function AuditLogPage() {
  const account = useAccount();
  const search = route.useSearch();
  const actors = useActors(account.id).data ?? NO_ACTORS;
  const { projects } = useWorkspace();
  const found = useTargetIds(account.id, search.q, projects);
  const filters = withTargets(filtersOf(search, useNow()), search.q, found);
  const list = useAuditLog(account.id, filters, { enabled: found !== undefined });
  const nameOf = useNames(actors, list.table.rows);
  const columns = useMemo(() => columnsOf(nameOf), [nameOf]);
  const [openId, setOpenId] = useState<string | null>(null);
  const opened = list.table.rows.find(({ id }) => id === openId);
  const save = useAction(async () => {
    await saveLog(filters, account.name).catch(toastFailure);
  });
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every change in this account, and who made it. Entries cannot be edited or deleted. The list updates automatically."
        actions={
          <Button icon={<Download />} busy={save.busy} onClick={() => save.run()}>
            Export NDJSON
          </Button>
        }
      />
      <AuditFilterBar
        actors={actors}
        targetName={search.target && nameIn(list.table.rows, search.target)}
      />
      {list.error ? (
        <Failure
          error={list.error}
          title="The audit log could not be loaded"
          onRetry={list.refetch}
        />
      ) : (
        <DataTable
          {...list.table}
          label="Audit log"
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={({ id }) => setOpenId(id)}
          empty={
            <EmptyState icon={<ScrollText />} title="No entries">
              No entries match these filters. Every change to keys, access keys, webhooks, projects
              and users is recorded here.
            </EmptyState>
          }
        />
      )}
      {opened && (
        <AuditEntrySheet
          entry={opened}
          title={textOf(opened, nameOf)}
          actor={actorName(opened, nameOf)}
          onClose={() => setOpenId(null)}
        />
      )}
    </>
  );
}

const NO_ACTORS: never[] = [];

/** A text that matches nothing is used as an id. A selected target overrides the search. */
function withTargets(
  filters: AuditFilters,
  text: string | undefined,
  found: readonly string[] | undefined,
): AuditFilters {
  if (text === undefined || filters.target !== undefined) return filters;
  return { ...filters, target: found?.length ? found.join(',') : text.slice(0, 64) };
}

/** The latest name of a target in the log. */
function nameIn(rows: readonly AuditLog[], id: string): string | undefined {
  const entry = rows.find(({ targetId }) => targetId === id);
  const name = (entry?.after ?? entry?.before)?.name;
  return typeof name === 'string' ? name : undefined;
}

/** Names of resources, from the account and from the entries themselves. */
function useNames(actors: readonly Named[], rows: readonly AuditLog[]): NameOf {
  const { projects, accounts } = useWorkspace();
  const items = useSearchItems(useAccount().id);
  return useMemo(() => {
    const logged = rows.flatMap(({ targetId: id, before, after }) => {
      const name = (after ?? before)?.name;
      return typeof name === 'string' ? [{ id, name }] : [];
    });
    const named = [...logged, ...items, ...actors, ...projects, ...accounts];
    const names = new Map(named.map(({ id, name }) => [id, name]));
    return (id) => names.get(id) ?? null;
  }, [actors, rows, items, projects, accounts]);
}

interface Named {
  readonly id: string;
  readonly name: string;
}

function textOf(entry: AuditLog, nameOf: NameOf): string {
  const { before, target, after } = sentenceOf(entry, nameOf);
  return `${actorName(entry, nameOf)} ${before}${target === null ? '' : ` ${target}`}${after}`;
}

const columnsOf = (nameOf: NameOf): readonly Column<AuditLog>[] => [
  {
    id: 'what',
    header: 'Event',
    width: 'minmax(10rem, 4fr)',
    cell: (entry) => {
      const { before, target, after } = sentenceOf(entry, nameOf);
      return (
        // Two lines on a phone, because a truncated sentence is not understandable.
        <span className="max-sm:line-clamp-2 max-sm:whitespace-normal max-sm:text-xs max-sm:leading-4">
          <span className="font-medium">{actorName(entry, nameOf)}</span>{' '}
          <span className="text-muted">{before}</span>
          {target !== null && <span className="font-medium"> {target}</span>}
          <span className="text-muted">{after}</span>
        </span>
      );
    },
  },
  {
    id: 'project',
    header: 'Project',
    width: 'minmax(7rem, 1fr)',
    optional: 3,
    cell: ({ projectId }) =>
      projectId === null ? <span className="text-faint">—</span> : (nameOf(projectId) ?? projectId),
  },
  {
    id: 'address',
    header: 'IP address',
    width: '9rem',
    optional: 4,
    cell: ({ clientAddress }) => <span className="text-muted">{clientAddress ?? '—'}</span>,
  },
  {
    id: 'sealed',
    header: 'Integrity',
    width: '6rem',
    optional: 2,
    cell: ({ sealed }) => (
      <StatusDot tone={sealed ? 'good' : 'warn'}>{sealed ? 'Sealed' : 'Pending'}</StatusDot>
    ),
  },
  {
    id: 'when',
    header: 'Time',
    width: '6.75rem',
    align: 'end',
    cell: ({ createdAt }) => <DateTime at={createdAt} />,
  },
];

/** Downloads all entries that match the filters, one JSON object per line, as the API exports them. */
async function saveLog(filters: AuditFilters, account: string): Promise<void> {
  const parts: string[] = [];
  let count = 0;
  for await (const { items } of auditPages(filters)) {
    parts.push(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
    count += items.length;
  }
  const day = new Date().toISOString().slice(0, 10);
  const name = `${account}-audit-log-${day}.ndjson`.replace(/[^\w.-]+/g, '-');
  saveFile(name, 'application/x-ndjson', parts);
  toast({ text: `Exported ${counted(count, 'entry', 'entries')}.` });
}
