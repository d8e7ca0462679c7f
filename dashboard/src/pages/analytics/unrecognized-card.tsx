import type { QueryOf, UsageRow } from 'keyward';
import { useAccessKeys } from '../../api/access-keys.ts';
import { useGroupedUsage } from '../../api/usage.ts';
import { useOwnProjects } from '../../app/session/permissions.ts';
import { Failure } from '../../components/feedback/failure.tsx';
import { Card } from '../../components/layout/card.tsx';
import { wholeNumber } from '../../text/numbers.ts';

interface UnrecognizedCardProps {
  readonly projectId: string;
  /** The range of the page, with its interval: the server widens a range to whole buckets. */
  readonly range: Pick<QueryOf<'getUsage'>, 'interval' | 'timezone' | 'from' | 'to'>;
}

/**
 * Validations of values that match no key. They belong to no project, but are counted for the
 * access key that sent them. Those of account-level access keys are shown in every project.
 */
export function UnrecognizedCard({ projectId, range }: UnrecognizedCardProps) {
  const accessKeys = useAccessKeys(projectId).data;
  const isLimited = useOwnProjects() !== null;
  const usage = useGroupedUsage({
    groupBy: 'accessKey',
    ...range,
    ...(isLimited && { projectId }),
  });
  const senders = sendersOf(usage.data?.rows ?? [], accessKeys ?? []);
  if (usage.isError) return <Failure error={usage.error} onRetry={() => usage.refetch()} />;
  if (!accessKeys || !usage.data) return null;
  return (
    <Card
      title="Unrecognized keys"
      description="Attempts with a value that matches no key (unknown) or cannot be a key (malformed), by the access key that sent them. Access keys for all projects are included."
    >
      {senders.length === 0 ? (
        <p className="text-muted">None in this period</p>
      ) : (
        <table className="w-full text-sm">
          <thead className="text-left text-muted text-xs">
            <tr>
              <th className="py-1.5 font-medium">Access key</th>
              <th className="py-1.5 text-right font-medium">Unknown</th>
              <th className="py-1.5 text-right font-medium">Malformed</th>
            </tr>
          </thead>
          <tbody>
            {senders.map(({ id, name, isWide, unknown, malformed }) => (
              <tr key={id} className="border-line border-t">
                <th scope="row" className="py-2 text-left font-medium">
                  {name}
                  {isWide && <span className="font-normal text-faint"> · All projects</span>}
                </th>
                <td className="py-2 text-right tabular-nums">{wholeNumber(unknown)}</td>
                <td className="py-2 text-right tabular-nums">{wholeNumber(malformed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

/** Most attempts first; access keys of other projects are left out. */
const sendersOf = (
  rows: readonly UsageRow[],
  accessKeys: readonly { id: string; name: string; projectId: string | null }[],
) =>
  accessKeys
    .map(({ id, name, projectId }) => {
      const own = rows.filter(({ group }) => group === id);
      const sum = (field: 'unknown' | 'malformed') => own.reduce((all, row) => all + row[field], 0);
      const [unknown, malformed] = [sum('unknown'), sum('malformed')];
      return { id, name, isWide: projectId === null, unknown, malformed };
    })
    .filter(({ unknown, malformed }) => unknown + malformed > 0)
    .toSorted((a, b) => b.unknown + b.malformed - a.unknown - a.malformed);
