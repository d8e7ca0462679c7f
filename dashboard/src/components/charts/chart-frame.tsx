import { Table2 } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { wholeNumber } from '../../text/numbers.ts';
import { IconButton } from '../buttons/icon-button.tsx';
import { ChartPattern } from './chart-pattern.tsx';
import { type Reference, type Series, sum } from './chart-series.ts';

interface ChartFrameProps {
  readonly label: string;
  readonly series: readonly Series[];
  /** Name of each bucket, for the table. */
  readonly names: readonly string[];
  readonly reference?: Reference | undefined;
  readonly children: ReactNode;
}

/** Frame of a chart: the legend with totals, and a switch to the same values as a table. */
export function ChartFrame({ label, series, names, reference, children }: ChartFrameProps) {
  const [asTable, setAsTable] = useState(false);
  const columns = [...series, ...(reference ? [{ id: 'reference', ...reference }] : [])];
  return (
    <figure aria-label={label} className="min-w-0">
      <figcaption className="mb-3 flex items-start justify-between gap-4">
        <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
          {series.map((one) => (
            <li key={one.id} className="flex items-center gap-2">
              <Swatch color={one.color} />
              <span className="text-muted">{one.label}</span>
              <span className="font-medium tabular-nums">{wholeNumber(sum(one.values))}</span>
            </li>
          ))}
          {reference && (
            <li className="flex items-center gap-2">
              <span aria-hidden className="w-4 border-ink border-t-2 border-dashed" />
              <span className="text-muted">{reference.label}</span>
              <span className="font-medium tabular-nums">{wholeNumber(sum(reference.values))}</span>
            </li>
          )}
        </ul>
        <IconButton
          label={asTable ? 'Show as chart' : 'Show as table'}
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
          className="-my-1"
        >
          <Table2 />
        </IconButton>
      </figcaption>
      {asTable ? <ChartTable {...{ label, names }} series={columns} /> : children}
    </figure>
  );
}

function Swatch({ color }: { readonly color: Series['color'] }) {
  const id = useId();
  return (
    <svg aria-hidden="true" className="size-3 shrink-0 rounded-[3px]" viewBox="0 0 12 12">
      <defs>
        <ChartPattern id={id} color={color} />
      </defs>
      <rect width="12" height="12" fill={`url(#${id})`} />
    </svg>
  );
}

interface ChartTableProps extends Pick<ChartFrameProps, 'label' | 'names'> {
  readonly series: readonly Omit<Series, 'color'>[];
}

function ChartTable({ label, series, names }: ChartTableProps) {
  return (
    <div className="max-h-72 overflow-auto rounded-lg border border-line" tabIndex={0}>
      <table className="w-full text-sm">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 bg-sunken text-left text-muted text-xs">
          <tr>
            <th className="px-3 py-2 font-medium">Time</th>
            {series.map(({ id, label: name }) => (
              <th key={id} className="px-3 py-2 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name, index) => (
            <tr key={name} className="border-line border-t">
              <th scope="row" className="px-3 py-1.5 text-left font-normal">
                {name}
              </th>
              {series.map(({ id, values }) => (
                <td key={id} className="px-3 py-1.5 text-right">
                  {wholeNumber(values[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
