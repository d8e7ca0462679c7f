import type { ApiKey, Refusal } from 'keyward';
import { type RefusalFilters, useRecentRefusals } from '../../api/refusals.ts';
import { DateTime } from '../../components/display/date-time.tsx';
import { KeyLink } from '../../components/display/links.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Skeleton } from '../../components/feedback/loading.tsx';
import { Card } from '../../components/layout/card.tsx';
import { counted } from '../../text/numbers.ts';

const ROWS = 10;

const CODES: Record<Refusal['code'], string> = {
  key_project_inactive: 'Project inactive',
  key_revoked: 'Revoked',
  key_not_started: 'Not started',
  key_expired: 'Expired',
  domain_denied: 'Domain denied',
  ip_denied: 'IP address denied',
  permission_denied: 'Permission denied',
  rate_limited: 'Rate limited',
  credits_exhausted: 'Out of credits',
};

interface RecentRefusalsProps {
  readonly filters: RefusalFilters;
  /** If given, each row names its key. */
  readonly keys?: readonly ApiKey[];
}

/** The latest refused validations of a key or a customer, and why they were refused. */
export function RecentRefusals({ filters, keys }: RecentRefusalsProps) {
  const { data, error, refetch } = useRecentRefusals(filters, ROWS);
  return (
    <Card title="Recent refusals" description="Samples of refused validations in the last 7 days">
      {error ? (
        <Failure error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : data.rows.length === 0 ? (
        <p className="text-faint">No refused validation is recorded.</p>
      ) : (
        <ol className="flex flex-col gap-2">
          {data.rows.map((refusal) => (
            <Row key={refusal.id} refusal={refusal} keys={keys} />
          ))}
        </ol>
      )}
      {data !== undefined && data.omitted > 0 && (
        <p className="mt-3 text-muted text-sm">
          {counted(data.omitted, 'other refusal')} not recorded. Analytics counts all.
        </p>
      )}
    </Card>
  );
}

interface RowProps {
  readonly refusal: Refusal;
  readonly keys: readonly ApiKey[] | undefined;
}

const Row = ({ refusal, keys }: RowProps) => (
  <li className="flex flex-wrap items-baseline gap-x-3">
    <span className="font-medium">{CODES[refusal.code]}</span>
    {keys && (
      <KeyLink projectId={refusal.projectId} id={refusal.keyId}>
        {keys.find(({ id }) => id === refusal.keyId)?.name ?? refusal.keyId}
      </KeyLink>
    )}
    <span className="min-w-0 break-words text-muted text-sm">{reasonOf(refusal)}</span>
    <span className="ml-auto text-faint text-sm">
      <DateTime at={refusal.time} />
    </span>
  </li>
);

/** What explains the code: `limit day, cost 3`, `needs documents.write`, `from 192.0.2.7`. */
function reasonOf({ limit, missing, clientIP, origin, cost }: Refusal): string {
  return [
    limit !== null && `limit ${limit}`,
    missing !== null && `needs ${missing.join(', ')}`,
    clientIP !== null && `from ${clientIP}`,
    origin !== null && `origin ${origin}`,
    cost !== 1 && `cost ${cost}`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}
