import type { AuditLog } from 'keyward';
import { useActors, useHistory } from '../../api/audit-logs.ts';
import { useMe } from '../../api/me.ts';
import { usePlanName } from '../../api/plans.ts';
import { useAccount, useProject } from '../../app/current.ts';
import { Button } from '../../components/buttons/button.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Skeleton } from '../../components/feedback/loading.tsx';
import { Card } from '../../components/layout/card.tsx';
import { changesOf } from '../../text/changes.ts';

interface HistoryCardProps {
  readonly targetId: string;
  /** For example `this key`. */
  readonly what: string;
}

export function HistoryCard({ targetId, what }: HistoryCardProps) {
  const { table, error, refetch } = useHistory(targetId);
  return (
    <Card title="History" description={`Changes to ${what}, from the audit log`}>
      {error ? (
        <Failure error={error} onRetry={refetch} />
      ) : table.isLoading ? (
        <Skeleton className="h-24 w-full" />
      ) : (
        <>
          <ol className="flex flex-col">
            {table.rows.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
          {table.rows.length === 0 && <p className="text-faint">No changes recorded.</p>}
          {table.hasMore && (
            <Button kind="quiet" size="sm" busy={table.isLoadingMore} onClick={table.onMore}>
              Show older
            </Button>
          )}
        </>
      )}
    </Card>
  );
}

const VERBS: Record<string, string> = {
  created: 'Created',
  updated: 'Updated',
  deleted: 'Deleted',
  reactivated: 'Reactivated',
  leaked: 'Reported as leaked',
  erased: 'Deleted permanently',
};

/** Deleting a key revokes it. */
const headlineOf = (action: string): string => {
  if (action === 'api-key.deleted') return 'Revoked';
  if (action === 'credits.changed') return 'Credits changed';
  return VERBS[action.slice(action.indexOf('.') + 1)] ?? action;
};

function Entry({ entry }: { readonly entry: AuditLog }) {
  const planName = usePlanName(useProject().id);
  // The first credits have no record before them.
  const before = entry.action === 'credits.changed' ? (entry.before ?? {}) : entry.before;
  const changes = changesOf(before, entry.after, planName);
  return (
    <li className="border-line border-l pb-4 pl-4 last:pb-0">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{headlineOf(entry.action)}</span>
        <span className="min-w-0 truncate text-muted text-sm">
          by <Actor entry={entry} />
        </span>
        <span className="ml-auto text-faint text-sm">
          <DateTime at={entry.createdAt} />
        </span>
      </div>
      {changes.length > 0 && (
        <ul className="mt-1 text-muted text-sm">
          {changes.map(({ field, before, after }) => (
            <li key={field} className="break-words">
              {field}: <span className="text-faint line-through">{before}</span> → {after}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const ACTORS: Record<string, string> = {
  operator: 'the server’s command line',
  system: 'Keyward',
};

function Actor({ entry }: { readonly entry: AuditLog }) {
  const me = useMe().data;
  const actors = useActors(useAccount().id).data;
  if (me?.id === entry.actorId) return 'you';
  const known = actors?.find(({ id }) => id === entry.actorId)?.name;
  return ACTORS[entry.actorType] ?? known ?? <code>{entry.actorId}</code>;
}
