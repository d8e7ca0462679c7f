import type { Invitation } from '../../api/records.ts';
import type { Column } from '../../components/data-table.tsx';
import { DateTime } from '../../components/date-time.tsx';
import type { Tone } from '../../components/notice.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { ROLES } from '../../text/roles.ts';
import { Where } from './people-columns.tsx';

const TONES: Record<Invitation['status'], Tone> = {
  pending: 'accent',
  accepted: 'good',
  cancelled: 'neutral',
  expired: 'warn',
};

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
    cell: ({ status, emailStatus }) => (
      <StatusDot tone={emailStatus === 'failed' && status === 'pending' ? 'bad' : TONES[status]}>
        {emailStatus === 'failed' && status === 'pending' ? 'Mail failed' : status}
      </StatusDot>
    ),
  },
  {
    id: 'expires',
    header: 'Expires',
    width: '7rem',
    from: 'md',
    cell: ({ status, expiresAt }) => <DateTime at={status === 'pending' ? expiresAt : null} />,
  },
];
