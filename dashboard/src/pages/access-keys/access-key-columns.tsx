import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import type { AccessKey } from 'keyward';
import { DateTime } from '../../components/display/date-time.tsx';
import type { Column } from '../../components/tables/column.ts';
import { listedColumns } from '../../fields/columns.tsx';
import { scopesText } from '../../fields/scopes.ts';
import { KeyStatus } from '../keys/key-status.tsx';
import { AccessKeyMenu, type Act } from './access-key-actions.tsx';

export const accessKeyColumns = (
  onAct: ((accessKey: AccessKey, act: Act) => void) | null,
): readonly Column<AccessKey>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(8rem, 2fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'key',
    header: 'Value',
    width: 'minmax(11rem, 1.5fr)',
    optional: 3,
    cell: ({ key }) => <code className="text-muted">{key}</code>,
  },
  {
    id: 'scopes',
    header: 'Scopes',
    width: 'minmax(7rem, 1fr)',
    optional: 2,
    cell: ({ scopes }) => scopesText(scopes),
  },
  ...listedColumns(ACCESS_KEY, ['name', 'scopes', 'expiresAt']),
  {
    id: 'level',
    header: 'Level',
    width: '7rem',
    optional: 2,
    cell: ({ projectId }) => (projectId ? 'Project' : 'Account'),
  },
  {
    id: 'used',
    header: 'Last used',
    width: '8rem',
    optional: 1,
    cell: ({ lastUsedAt }) => <DateTime at={lastUsedAt} none="Never" />,
  },
  {
    id: 'state',
    header: 'Status',
    width: '6rem',
    cell: (accessKey) => <KeyStatus apiKey={accessKey} />,
  },
  ...(onAct === null
    ? []
    : [
        {
          id: 'actions',
          header: 'Actions',
          headerHidden: true,
          width: '2rem',
          cell: (accessKey: AccessKey) => (
            <AccessKeyMenu accessKey={accessKey} onAct={(act) => onAct(accessKey, act)} />
          ),
        },
      ]),
];
