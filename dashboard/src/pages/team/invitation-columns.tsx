import type { Invitation } from 'keyward';
import { DateTime } from '../../components/display/date-time.tsx';
import { StatusDot } from '../../components/display/status-dot.tsx';
import type { Tone } from '../../components/feedback/notice.tsx';
import type { Column } from '../../components/tables/column.ts';
import { ROLES } from '../../text/roles.ts';
import { ProjectNames } from './teammate-columns.tsx';

const STATES: Record<Invitation['status'], { readonly tone: Tone; readonly label: string }> = {
  pending: { tone: 'accent', label: 'Pending' },
  accepted: { tone: 'good', label: 'Accepted' },
  cancelled: { tone: 'neutral', label: 'Cancelled' },
  expired: { tone: 'warn', label: 'Expired' },
};

const UNSENT = { tone: 'bad', label: 'Email failed' } as const;

export const INVITATION_COLUMNS: readonly Column<Invitation>[] = [
  {
    id: 'email',
    header: 'Email',
    width: 'minmax(9rem, 2fr)',
    cell: ({ email }) => <span className="font-medium">{email}</span>,
  },
  {
    id: 'role',
    header: 'Role',
    width: '6rem',
    optional: 1,
    cell: ({ role }) => ROLES.find(({ value }) => value === role)?.label ?? role,
  },
  {
    id: 'where',
    header: 'Projects',
    width: 'minmax(8rem, 1fr)',
    optional: 3,
    cell: ({ projectIds }) => <ProjectNames projectIds={projectIds} />,
  },
  {
    id: 'status',
    header: 'Status',
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
    optional: 2,
    cell: ({ status, expiresAt }) => (
      <DateTime at={status === 'pending' ? expiresAt : null} form="deadline" />
    ),
  },
];
