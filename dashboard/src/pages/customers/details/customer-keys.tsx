import { Link, useNavigate } from '@tanstack/react-router';
import type { ApiKey } from 'keyward';
import { useCallback } from 'react';
import type { useApiKeys } from '../../../api/api-keys.ts';
import { useProject } from '../../../app/current.ts';
import { buttonClass } from '../../../components/buttons/button.tsx';
import { DateTime } from '../../../components/display/date-time.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { Card } from '../../../components/layout/card.tsx';
import type { Column } from '../../../components/tables/column.ts';
import { DataTable } from '../../../components/tables/data-table.tsx';
import { shortMask } from '../../../text/key-mask.ts';
import { KeyStatus } from '../../keys/key-status.tsx';

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(7rem, 2fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'key',
    header: 'Key',
    width: '8rem',
    optional: 2,
    cell: ({ key }) => <code className="text-muted">{shortMask(key)}</code>,
  },
  { id: 'state', header: 'Status', width: '6.25rem', cell: (key) => <KeyStatus apiKey={key} /> },
  {
    id: 'lastUsedAt',
    header: 'Last used',
    width: '6.75rem',
    optional: 1,
    cell: ({ lastUsedAt }) => <DateTime at={lastUsedAt} none="Never" />,
  },
];

interface CustomerKeysProps {
  readonly customerId: string;
  readonly keys: ReturnType<typeof useApiKeys>;
}

export function CustomerKeys({ customerId, keys }: CustomerKeysProps) {
  const { id: projectId } = useProject();
  const navigate = useNavigate();
  const open = useCallback(
    ({ id }: ApiKey) =>
      void navigate({ to: '/p/$projectId/keys/$keyId', params: { projectId, keyId: id } }),
    [navigate, projectId],
  );
  return (
    <Card
      title="Keys"
      actions={
        <Link
          to="/p/$projectId/keys"
          params={{ projectId }}
          search={{ account: customerId }}
          className={buttonClass('quiet', 'sm')}
        >
          View in the list of keys
        </Link>
      }
    >
      {keys.error ? (
        <Failure error={keys.error} title="The keys could not be loaded" onRetry={keys.refetch} />
      ) : (
        <DataTable
          {...keys.table}
          height="content"
          label="Keys of this customer"
          columns={COLUMNS}
          rowKey={({ id }) => id}
          onOpen={open}
          empty={<p className="p-6 text-center text-muted">No keys have this customer ID yet.</p>}
        />
      )}
    </Card>
  );
}
