import type { ApiKey } from '../../api/records.ts';
import type { Column } from '../../components/data-table.tsx';
import { DateTime } from '../../components/date-time.tsx';
import { KeyLink } from './key-link.tsx';
import { KeyStateMark } from './key-state-mark.tsx';
import { shortLimit } from './short-limit.ts';

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
