import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import type { ApiKey } from '../../../api/records.ts';
import { DateTime } from '../../../components/display/date-time.tsx';
import type { Column } from '../../../components/tables/data-table.tsx';
import { shortNumber } from '../../../text/numbers.ts';
import { durationText } from '../../../text/times.ts';
import { KeyStateMark } from '../key-state-mark.tsx';

const none = <span className="text-faint">—</span>;

export const KEY_COLUMNS: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(8rem, 3fr)',
    sortable: true,
    cell: (key) => <KeyLink apiKey={key} />,
  },
  {
    id: 'key',
    header: 'Key',
    width: '10.25rem',
    from: 'md',
    cell: (key) => <code className="text-muted">{key.key}</code>,
  },
  {
    id: 'customer',
    header: 'Customer',
    width: 'minmax(7rem, 2fr)',
    from: 'lg',
    cell: ({ customAccountId: account, customUserId: user }) =>
      account === null && user === null ? (
        none
      ) : (
        <span>
          {account}
          {account !== null && user !== null && <span className="text-faint"> · </span>}
          <span className={account === null ? '' : 'text-muted'}>{user}</span>
        </span>
      ),
  },
  { id: 'state', header: 'State', width: '6rem', cell: (key) => <KeyStateMark apiKey={key} /> },
  {
    id: 'limit',
    header: 'Limit',
    width: '5rem',
    from: 'xl',
    cell: ({ rateLimitConfigs }) => (rateLimitConfigs ? shortLimit(rateLimitConfigs) : none),
  },
  {
    id: 'expiresAt',
    header: 'Expires',
    width: '6.5rem',
    from: 'lg',
    sortable: true,
    cell: (key) => <DateTime at={key.expiresAt} none="Never" />,
  },
  {
    id: 'lastUsedAt',
    header: 'Last used',
    width: '6.5rem',
    from: 'sm',
    sortable: true,
    cell: (key) => <DateTime at={key.lastUsedAt} none="Never" />,
  },
  {
    id: 'createdAt',
    header: 'Created',
    width: '6.5rem',
    from: 'md',
    sortable: true,
    cell: (key) => <DateTime at={key.createdAt} />,
  },
];

/**
 * The name of a key in the list. A plain link: the router's own listens to every change of the
 * address, and forty of them are made anew with every screen that is scrolled by.
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
      // The row is what the keyboard walks; the link is there to be opened in another tab.
      tabIndex={-1}
      onClick={onClick}
      className="font-medium hover:underline"
    >
      {apiKey.name}
    </a>
  );
}

const SHORT: Partial<Record<number, string>> = { 1: 's', 60: 'min', 3600: 'h', 86400: 'day' };

/** `10 / min`: for a column. */
const shortLimit = ({ rateLimit, rateLimitTtl }: NonNullable<ApiKey['rateLimitConfigs']>): string =>
  `${shortNumber(rateLimit)} / ${SHORT[rateLimitTtl] ?? durationText(rateLimitTtl)}`;
