import { usePortal } from '../state/context.ts';
import type { UsageBucket } from './ranges.ts';

interface UsageTableProps {
  readonly buckets: readonly UsageBucket[];
  nameOf(at: number): string;
}

/** The figures of the chart, newest first. */
export function UsageTable({ buckets, nameOf }: UsageTableProps) {
  const { messages, format } = usePortal();
  const { usage } = messages;
  return (
    <table className="kw-table" aria-label={usage.chart}>
      <thead>
        <tr>
          <th scope="col">{usage.time}</th>
          <th scope="col">{usage.accepted}</th>
          <th scope="col">{usage.rejected}</th>
        </tr>
      </thead>
      <tbody>
        {buckets.toReversed().map(({ at, accepted, rejected }) => (
          <tr key={at}>
            <th scope="row">{nameOf(at)}</th>
            <td>{format.number(accepted)}</td>
            <td>{format.number(rejected)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
