import { allLimits } from '@keyward/rules/default-limit.ts';
import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { useRouter } from '@tanstack/react-router';
import type { ApiKey } from 'keyward';
import type { MouseEvent, ReactNode } from 'react';
import { DateTime } from '../../../components/display/date-time.tsx';
import type { Column } from '../../../components/tables/column.ts';
import { listedColumns } from '../../../fields/columns.tsx';
import { shortMask } from '../../../text/key-mask.ts';
import type { NamedLimit } from '../../../text/limits/limits.ts';
import { shortNumber } from '../../../text/numbers.ts';
import { durationText } from '../../../text/time/times.ts';
import { KeyStatus } from '../key-status.tsx';

const none = <span className="text-faint">—</span>;

/** The first limit of a key, and how many more it has. */
function limitsText({ rateLimitConfigs, limits }: ApiKey): string | null {
  const [first, ...more] = allLimits(rateLimitConfigs, limits);
  if (first === undefined) return null;
  return more.length === 0 ? shortLimit(first) : `${shortLimit(first)} +${more.length}`;
}

/** `menu` renders the actions of a row. */
export const keyColumns = (menu: (key: ApiKey) => ReactNode): readonly Column<ApiKey>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(7rem, 3fr)',
    sortable: true,
    cell: (key) => (
      <>
        <KeyLink apiKey={key} />
        {/* On narrow screens, where its column is hidden. */}
        <span className="block truncate text-muted text-xs leading-4 lg:hidden">
          <Customer apiKey={key} />
        </span>
      </>
    ),
  },
  {
    id: 'key',
    header: 'Key',
    width: '7.5rem',
    optional: 2,
    cell: (key) => <code className="text-muted">{shortMask(key.key)}</code>,
  },
  {
    id: 'customer',
    header: 'Customer',
    width: 'minmax(5.5rem, 2fr)',
    optional: 3,
    cell: (key) => <Customer apiKey={key} none={none} />,
  },
  { id: 'state', header: 'Status', width: '6.25rem', cell: (key) => <KeyStatus apiKey={key} /> },
  {
    id: 'limit',
    header: 'Limit',
    width: '6rem',
    optional: 4,
    cell: (key) => limitsText(key) ?? none,
  },
  ...listedColumns(API_KEY, ['expiresAt', 'rateLimitConfigs', 'permissions', 'limits', 'tags']),
  {
    id: 'expiresAt',
    header: 'Expires',
    width: 'minmax(5.75rem, 6.75rem)',
    optional: 3,
    sortable: true,
    cell: (key) => <DateTime at={key.expiresAt} form="deadline" none="Never" />,
  },
  {
    id: 'lastUsedAt',
    header: 'Last used',
    width: 'minmax(5.75rem, 6.75rem)',
    optional: 1,
    sortable: true,
    cell: (key) => <DateTime at={key.lastUsedAt} none="Never" />,
  },
  {
    id: 'createdAt',
    header: 'Created',
    width: 'minmax(5.75rem, 6.75rem)',
    optional: 2,
    sortable: true,
    cell: (key) => <DateTime at={key.createdAt} />,
  },
  { id: 'menu', header: 'Actions', headerHidden: true, width: '1.75rem', cell: menu },
];

interface CustomerProps {
  readonly apiKey: ApiKey;
  readonly none?: ReactNode;
}

function Customer({ apiKey, none: without }: CustomerProps) {
  const { customAccountId: account, customUserId: user } = apiKey;
  if (account === null && user === null) return without;
  return (
    <>
      {account}
      {account !== null && user !== null && <span className="text-faint"> · </span>}
      <span className={account === null ? '' : 'text-muted'}>{user}</span>
    </>
  );
}

/**
 * The name of a key in the list. A plain link, because a router link listens to every change of the
 * URL, and each screen of a long list renders forty of them.
 */
function KeyLink({ apiKey }: { readonly apiKey: ApiKey }) {
  const router = useRouter();
  const params = { projectId: apiKey.projectId, keyId: apiKey.id };
  function onClick(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ to: '/p/$projectId/keys/$keyId', params });
  }
  return (
    <a
      href={`${router.basepath.replace(/\/$/, '')}/p/${params.projectId}/keys/${params.keyId}`}
      // The keyboard moves between rows. The link exists to be opened in another tab.
      tabIndex={-1}
      onClick={onClick}
      className="font-medium hover:underline"
    >
      {apiKey.name}
    </a>
  );
}

const SHORT: Partial<Record<number, string>> = { 1: 's', 60: 'min', 3600: 'h', 86400: 'day' };

/** `10 / min`, for the column. */
function shortLimit(
  limit: Pick<NamedLimit, 'rateLimit' | 'rateLimitTtl' | 'unit' | 'interval'>,
): string {
  const { rateLimit, rateLimitTtl = 0, unit, interval } = limit;
  const amount = unit === undefined ? shortNumber(rateLimit) : `${shortNumber(rateLimit)} ${unit}`;
  return `${amount} / ${interval ?? SHORT[rateLimitTtl] ?? durationText(rateLimitTtl)}`;
}
