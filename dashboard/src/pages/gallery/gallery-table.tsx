import { useMemo, useState } from 'react';
import { type Column, DataTable, type Sort } from '../../components/data-table.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { toast } from '../../components/toasts.tsx';
import { wholeNumber } from '../../text/numbers.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly total: number;
}

const ROWS: readonly Row[] = Array.from({ length: 100_000 }, (_, i) => ({
  id: `key_${String(i).padStart(8, '0')}`,
  name: `Customer ${i}`,
  active: i % 7 !== 0,
  total: (i * 7919) % 100_003,
}));

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(8rem, 2fr)',
    sortable: true,
    cell: (row) => row.name,
  },
  {
    id: 'id',
    header: 'Id',
    width: 'minmax(8rem, 1fr)',
    from: 'sm',
    cell: (row) => <code>{row.id}</code>,
  },
  {
    id: 'state',
    header: 'State',
    width: '7rem',
    cell: (row) => (
      <StatusDot tone={row.active ? 'good' : 'neutral'}>
        {row.active ? 'Active' : 'Revoked'}
      </StatusDot>
    ),
  },
  {
    id: 'total',
    header: 'Validations',
    width: '7rem',
    align: 'end',
    sortable: true,
    cell: (row) => wholeNumber(row.total),
  },
];

export function GalleryTable() {
  const [sort, setSort] = useState<Sort>({ column: 'total', direction: 'descending' });
  const rows = useMemo(() => {
    const sign = sort.direction === 'descending' ? -1 : 1;
    const by = sort.column === 'total' ? 'total' : 'name';
    return ROWS.toSorted((a, b) => (a[by] < b[by] ? -sign : sign));
  }, [sort]);
  return (
    <DataTable
      label="Keys"
      columns={COLUMNS}
      rows={rows}
      rowKey={(row) => row.id}
      sort={sort}
      onSort={setSort}
      onOpen={(row) => toast({ text: `Opened ${row.name}` })}
      height="content"
    />
  );
}
