import { useMutation } from '@tanstack/react-query';
import type { BodyOf } from 'keyward';
import { History } from 'lucide-react';
import { useState } from 'react';
import { previewPlan } from '../../api/plans.ts';
import { useProject } from '../../app/current.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Badge } from '../../components/display/badge.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { CustomerLink, KeyLink } from '../../components/display/links.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { counted, wholeNumber } from '../../text/numbers.ts';

type Body = BodyOf<'previewPlan'>;
type Preview = Awaited<ReturnType<typeof previewPlan>>;
type Refused = Preview['limits'][number]['customers'][number];

interface LimitPreviewProps {
  readonly body: Body;
  /** Whose requests are replayed, for example `keys on this plan`. */
  readonly what: string;
}

/** Replays the requests of the last 48 hours through limits and credits. */
export function LimitPreview({ body, what }: LimitPreviewProps) {
  const preview = useMutation({ mutationFn: previewPlan });
  // The result of other settings would be misleading.
  const isCurrent = JSON.stringify(preview.variables) === JSON.stringify(body);
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Button icon={<History />} busy={preview.isPending} onClick={() => preview.mutate(body)}>
          Replay the last 48 hours
        </Button>
      </div>
      <div aria-live="polite">
        {preview.error && isCurrent && (
          <Failure error={preview.error} title="The requests could not be replayed" />
        )}
        {preview.data && isCurrent && (
          <Result preview={preview.data} shadows={shadowsOf(body)} what={what} />
        )}
        {preview.data && !isCurrent && (
          <p className="text-muted text-sm">The settings have changed. Replay again.</p>
        )}
      </div>
    </div>
  );
}

const shadowsOf = ({ limits }: Body): ReadonlySet<string> =>
  new Set(limits?.filter(({ mode }) => mode === 'shadow').map(({ name }) => name));

interface ResultProps {
  readonly preview: Preview;
  readonly shadows: ReadonlySet<string>;
  readonly what: string;
}

function Result({ preview, shadows, what }: ResultProps) {
  const { evaluated, limits, credits, skipped, omittedRequests } = preview;
  const findings = [
    ...limits.map((limit) => ({ ...limit, isShadow: shadows.has(limit.name) })),
    ...(credits ? [{ name: 'credits', isShadow: false, ...credits }] : []),
  ].filter(({ refused }) => refused > 0);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted text-sm">
        {counted(evaluated.requests, 'request')} of {what} ({counted(evaluated.keys, 'key')}) from{' '}
        <DateTime at={preview.from} form="exact" /> to <DateTime at={preview.to} form="exact" />
      </p>
      {findings.length === 0 ? (
        <Notice tone="good">
          {evaluated.requests === 0
            ? 'There were no requests in this time.'
            : 'No request would have been refused.'}
        </Notice>
      ) : (
        findings.map((finding) => (
          <Finding key={finding.name} {...finding} total={evaluated.requests} />
        ))
      )}
      {skipped.length > 0 && (
        <p className="text-muted text-sm">
          Not replayed: {skipped.join(', ')}. Usage is recorded by minute, so shorter windows cannot
          be replayed.
        </p>
      )}
      {omittedRequests > 0 && (
        <p className="text-muted text-sm">
          Not included: {counted(omittedRequests, 'request')}. At most 50,000 keys are replayed.
        </p>
      )}
    </div>
  );
}

interface FindingProps {
  readonly name: string;
  readonly refused: number;
  readonly customers: readonly Refused[];
  readonly isShadow: boolean;
  readonly total: number;
}

const SHOWN = 5;

function Finding({ name, refused, customers, isShadow, total }: FindingProps) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? customers : customers.slice(0, SHOWN);
  return (
    <div>
      <p className="flex flex-wrap items-center gap-x-2">
        <code>{name}</code>
        <span className="font-medium">
          would have refused {wholeNumber(refused)} of {counted(total, 'request')}
        </span>
        {isShadow && <Badge tone="warn">If enforced</Badge>}
      </p>
      <table className="mt-1 w-full text-sm">
        <caption className="sr-only">Customers that {name} would have refused</caption>
        <thead className="text-left text-muted text-xs">
          <tr>
            <th className="py-1.5 font-medium">Customer</th>
            <th className="py-1.5 text-right font-medium">Refused</th>
            <th className="py-1.5 text-right font-medium">First</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((customer) => (
            <tr key={customer.customAccountId ?? customer.keyId} className="border-line border-t">
              <th scope="row" className="max-w-0 truncate py-1.5 pr-3 text-left font-medium">
                <RefusedLink customer={customer} />
              </th>
              <td className="w-20 py-1.5 text-right tabular-nums">
                {wholeNumber(customer.refused)}
              </td>
              <td className="w-28 py-1.5 text-right">
                <DateTime at={customer.firstAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {customers.length > shown.length && (
        <Button kind="quiet" size="sm" onClick={() => setShowsAll(true)}>
          Show all {customers.length}
        </Button>
      )}
    </div>
  );
}

function RefusedLink({ customer: { customAccountId, keyId } }: { readonly customer: Refused }) {
  const { id: projectId } = useProject();
  const className = 'text-accent underline-offset-2 hover:underline';
  if (customAccountId !== null)
    return <CustomerLink {...{ projectId, className }} id={customAccountId} />;
  if (keyId === null) return 'A deleted key';
  return <KeyLink {...{ projectId, className }} id={keyId} />;
}
