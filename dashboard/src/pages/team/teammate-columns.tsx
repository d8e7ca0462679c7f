import type { Teammate } from 'keyward';
import { useWorkspace } from '../../api/workspace.ts';
import { Avatar } from '../../components/display/avatar.tsx';
import { Badge } from '../../components/display/badge.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { StatusDot } from '../../components/display/status-dot.tsx';
import type { Column } from '../../components/tables/column.ts';
import { ROLES } from '../../text/roles.ts';

export const TEAMMATE_COLUMNS: readonly Column<Teammate>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 2fr)',
    cell: ({ name, email }) => (
      <span className="flex items-center gap-3">
        <Avatar name={name} />
        <span className="min-w-0 leading-tight">
          <span className="block truncate font-medium">{name}</span>
          <span className="block truncate text-faint text-xs">{email}</span>
        </span>
      </span>
    ),
  },
  {
    id: 'role',
    header: 'Role',
    width: '6rem',
    cell: ({ role }) => (
      <Badge tone={role === 'owner' ? 'accent' : 'neutral'}>
        {ROLES.find(({ value }) => value === role)?.label ?? role}
      </Badge>
    ),
  },
  {
    id: 'where',
    header: 'Projects',
    width: 'minmax(8rem, 1fr)',
    optional: 2,
    cell: ({ projectIds }) => <ProjectNames projectIds={projectIds} />,
  },
  {
    id: 'two-factor',
    header: 'Two-factor',
    width: '7rem',
    optional: 3,
    cell: ({ twoFactorEnabled }) => (
      <StatusDot tone={twoFactorEnabled ? 'good' : 'neutral'}>
        {twoFactorEnabled ? 'On' : 'Off'}
      </StatusDot>
    ),
  },
  {
    id: 'seen',
    header: 'Last sign-in',
    width: '8rem',
    optional: 1,
    cell: ({ lastSignedInAt }) => <DateTime at={lastSignedInAt} none="Never" />,
  },
];

export function ProjectNames({ projectIds }: { readonly projectIds: readonly string[] | null }) {
  const { projects } = useWorkspace();
  if (projectIds === null) return <span className="text-muted">All projects</span>;
  const names = projectIds.map((id) => projects.find((project) => project.id === id)?.name ?? id);
  return <span>{names.join(', ')}</span>;
}
