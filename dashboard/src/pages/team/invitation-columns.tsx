import type { Invitation } from '../../api/records.ts';
import type { Column } from '../../components/data-table.tsx';
import { DateTime } from '../../components/date-time.tsx';
import type { Tone } from '../../components/notice.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { ROLES } from '../../text/roles.ts';
import { Where } from './people-columns.tsx';

const STATES: Record<Invitation['status'], { readonly tone: Tone; readonly label: string }> = {
  pending: { tone: 'accent', label: 'Pending' },
  accepted: { tone: 'good', label: 'Accepted' },
  cancelled: { tone: 'neutral', label: 'Cancelled' },
  expired: { tone: 'warn', label: 'Expired' },
};

const UNSENT = { tone: 'bad', label: 'Mail failed' } as const;

export const INVITATION_COLUMNS: readonly Column<Invitation>[] = [
  {
    id: 'email',
    header: 'E-mail',
    width: 'minmax(9rem, 2fr)',
    cell: ({ email }) => <span className="font-medium">{email}</span>,
  },
  {
    id: 'role',
    header: 'Role',
    width: '6rem',
    from: 'sm',
    cell: ({ role }) => ROLES.find(({ value }) => value === role)?.label ?? role,
  },
  {
    id: 'where',
    header: 'Where',
    width: 'minmax(8rem, 1fr)',
    from: 'lg',
    cell: ({ projectIds }) => <Where projectIds={projectIds} />,
  },
  {
    id: 'status',
    header: 'State',
    width: '7rem',
    cell({ status, emailStatus }) {
      const isUnsent = status === 'pending' && emailStatus === 'failed';
      const { tone, label } = isUnsent ? UNSENT : STATES[status];
      return <StatusDot tone={tone}>{label}</StatusDot>;
    },
  },
  {
    id: 'expires',
    header: 'Expires',
    width: '7rem',
    from: 'md',
    cell: ({ status, expiresAt }) => <DateTime at={status === 'pending' ? expiresAt : null} />,
  },
];
