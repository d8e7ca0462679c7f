import { useKeyHistory } from '../../../api/api-keys.ts';
import { useActors } from '../../../api/audit-logs.ts';
import { useMe } from '../../../api/me.ts';
import type { AuditLog } from '../../../api/records.ts';
import { useAccount } from '../../../app/current.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { DateTime } from '../../../components/display/date-time.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { Skeleton } from '../../../components/feedback/loading.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { changesOf } from '../../../text/changes.ts';

export function KeyHistory({ keyId }: { readonly keyId: string }) {
  const { table, error, refetch } = useKeyHistory(keyId);
  return (
    <Card title="History" description="Changes to this key, from the audit log">
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

const HEADLINES: Record<string, string> = {
  'api-key.created': 'Created',
  'api-key.updated': 'Updated',
  'api-key.deleted': 'Revoked',
  'api-key.reactivated': 'Reactivated',
  'api-key.leaked': 'Reported as leaked',
  'api-key.erased': 'Deleted permanently',
};

function Entry({ entry }: { readonly entry: AuditLog }) {
  const changes = changesOf(entry.before, entry.after);
  return (
    <li className="border-line border-l pb-4 pl-4 last:pb-0">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{HEADLINES[entry.action] ?? entry.action}</span>
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
