import { PROJECT } from '@keyward/rules/resources/project.ts';
import type { Project } from 'keyward';
import { EnvBadge } from '../../components/display/badge.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { StatusDot } from '../../components/display/status-dot.tsx';
import type { Column } from '../../components/tables/column.ts';
import { listedColumns } from '../../fields/columns.tsx';
import { type Act, ProjectMenu } from './project-actions.tsx';

export const projectColumns = (
  onAct: ((project: Project, act: Act) => void) | null,
): readonly Column<Project>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(7rem, 2fr)',
    cell: ({ name, isActive }) => (
      <>
        <span className="font-medium">{name}</span>
        {!isActive && <span className="text-faint sm:hidden"> inactive</span>}
      </>
    ),
  },
  {
    id: 'env',
    header: 'Environment',
    width: '6.5rem',
    cell: ({ env }) => <EnvBadge env={env} />,
  },
  {
    id: 'state',
    header: 'Status',
    width: '6rem',
    optional: 1,
    cell: ({ isActive }) => (
      <StatusDot tone={isActive ? 'good' : 'neutral'}>{isActive ? 'Active' : 'Inactive'}</StatusDot>
    ),
  },
  ...listedColumns(PROJECT, ['name', 'env', 'keyPrefix']),
  {
    id: 'id',
    header: 'ID',
    width: 'minmax(10rem, 1.5fr)',
    optional: 3,
    cell: ({ id }) => <code className="select-all text-muted">{id}</code>,
  },
  {
    id: 'created',
    header: 'Created',
    width: '8rem',
    optional: 2,
    cell: ({ createdAt }) => <DateTime at={createdAt} form="date" />,
  },
  ...(onAct === null
    ? []
    : [
        {
          id: 'actions',
          header: 'Actions',
          headerHidden: true,
          width: '2rem',
          cell: (project: Project) => (
            <ProjectMenu project={project} onAct={(act) => onAct(project, act)} />
          ),
        },
      ]),
];
