import type { ReactNode } from 'react';
import { wholeNumber } from '../../text/numbers.ts';

interface BarChartProps {
  readonly label: string;
  readonly rows: readonly {
    readonly id: string;
    /** Usually a link. */
    readonly name: ReactNode;
    readonly value: number;
    readonly detail?: ReactNode;
  }[];
}

/** A ranking. The bars are decorative: every value is also given as text. */
export function BarChart({ label, rows }: BarChartProps) {
  const max = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <ol aria-label={label} className="flex flex-col gap-3">
      {rows.map(({ id, name, value, detail }) => (
        <li key={id}>
          <div className="flex items-baseline justify-between gap-4 text-sm">
            <span className="min-w-0 truncate">{name}</span>
            <span className="shrink-0 tabular-nums">
              {detail && <span className="mr-3 text-faint">{detail}</span>}
              {wholeNumber(value)}
            </span>
          </div>
          <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-hover">
            <div
              className="h-full rounded-full bg-chart-1"
              style={{ width: `${(100 * value) / max}%` }}
            />
          </div>
        </li>
      ))}
    </ol>
  );
}
