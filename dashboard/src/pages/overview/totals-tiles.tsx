import type { UsageRow } from 'keyward';
import { Skeleton } from '../../components/feedback/loading.tsx';
import { asPercent, shortNumber, wholeNumber } from '../../text/numbers.ts';
import { outcomeTotals } from '../../text/outcomes.ts';

interface TotalsTilesProps {
  readonly rows: readonly UsageRow[] | undefined;
  /** Rows of the previous period. */
  readonly before: readonly UsageRow[] | undefined;
}

export function TotalsTiles({ rows, before }: TotalsTilesProps) {
  const now = rows && outcomeTotals(rows);
  const then = before && outcomeTotals(before);
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line lg:grid-cols-4">
      <Tile label="Validations" value={now?.total} then={then?.total} />
      <Tile label="Valid" value={now?.valid} then={then?.valid} of={now?.total} />
      <Tile label="Rate limited" value={now?.limited} then={then?.limited} of={now?.total} />
      <Tile
        label="Refused for other reasons"
        value={now?.otherRefused}
        then={then?.otherRefused}
        of={now?.total}
      />
    </dl>
  );
}

interface TileProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly then: number | undefined;
  readonly of?: number | undefined;
}

function Tile({ label, value, then, of }: TileProps) {
  return (
    <div className="bg-surface px-5 py-4">
      <dt className="text-muted text-sm">{label}</dt>
      <dd className="mt-1">
        {value === undefined ? (
          <Skeleton className="h-8 w-20" />
        ) : (
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span
              className="font-semibold text-2xl tabular-nums tracking-tight"
              title={wholeNumber(value)}
            >
              {value < 100_000 ? wholeNumber(value) : shortNumber(value)}
            </span>
            {of !== undefined && of > 0 && (
              <span className="text-faint text-sm tabular-nums">{asPercent(value / of)}</span>
            )}
          </span>
        )}
        <span className="block min-h-5 text-faint text-sm">
          {value !== undefined && then !== undefined && changeText(value, then)}
        </span>
      </dd>
    </div>
  );
}

/** As text, without red and green: whether more is better depends on the reader. */
function changeText(now: number, then: number): string {
  if (now === then) return 'No change';
  if (then === 0) return 'None in the previous period';
  const change = now / then - 1;
  return `${asPercent(Math.abs(change))} ${change > 0 ? 'more' : 'less'} than the previous period`;
}
