import { Link } from '@tanstack/react-router';
import type { AuditLog } from 'keyward';
import { ShieldCheck, ShieldEllipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyField } from '../../components/buttons/copy-button.tsx';
import { CodeBlock } from '../../components/display/code-block.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { FactRow } from '../../components/display/fact.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { formatJson } from '../../text/check-json.ts';
import { type Difference, differencesOf } from './differences.ts';

interface AuditEntrySheetProps {
  readonly entry: AuditLog;
  readonly title: string;
  readonly actor: string;
  onClose(): void;
}

export function AuditEntrySheet({ entry, title, actor, onClose }: AuditEntrySheetProps) {
  const differences = differencesOf(entry);
  return (
    <Sheet open onClose={onClose} title={title}>
      <div className="flex flex-col gap-6 p-5">
        <dl className="grid grid-cols-[6rem_1fr] gap-x-4 gap-y-3">
          <FactRow label="Time">
            <DateTime at={entry.createdAt} form="exact" />
          </FactRow>
          <FactRow label="Actor">
            {actor} <span className="text-faint">({entry.actorType})</span>
            <FilterLink accountId={entry.accountId} search={{ actor: entry.actorId }}>
              View all changes by this actor
            </FilterLink>
          </FactRow>
          <FactRow label="Target">
            <CopyField value={entry.targetId} label="Copy ID" />
            <FilterLink accountId={entry.accountId} search={{ target: entry.targetId }}>
              View all changes to this target
            </FilterLink>
          </FactRow>
          <FactRow label="Action">
            <code>{entry.action}</code>
          </FactRow>
          <FactRow label="IP address">{entry.clientAddress ?? '—'}</FactRow>
          <FactRow label="User agent">{entry.userAgent ?? '—'}</FactRow>
          <FactRow label="Request">
            {entry.requestId ? <code>{entry.requestId}</code> : '—'}
          </FactRow>
          <FactRow label="Integrity">
            <ChainState sealed={entry.sealed} />
          </FactRow>
        </dl>
        {differences.length > 0 && (
          <section aria-labelledby="changes">
            <h3 id="changes" className="mb-2 font-semibold">
              {headingOf(entry)}
            </h3>
            <dl className="flex flex-col gap-3">
              {differences.map((difference) => (
                <Changed key={difference.field} difference={difference} />
              ))}
            </dl>
          </section>
        )}
        <CodeBlock label="Full entry" code={formatJson(entry)} />
      </div>
    </Sheet>
  );
}

function headingOf({ before, after }: AuditLog): string {
  if (before && after) return 'Changes';
  return before ? 'Before' : 'After';
}

function Changed({ difference: { field, before, after } }: { readonly difference: Difference }) {
  return (
    <div>
      <dt className="text-muted text-sm">{field}</dt>
      {before !== null && (
        <dd className="whitespace-pre-wrap break-words rounded-t bg-bad-soft px-2 py-1 font-mono text-sm">
          <span aria-hidden>− </span>
          <span className="sr-only">before: </span>
          {before}
        </dd>
      )}
      {after !== null && (
        <dd className="whitespace-pre-wrap break-words rounded-b bg-good-soft px-2 py-1 font-mono text-sm">
          <span aria-hidden>+ </span>
          <span className="sr-only">after: </span>
          {after}
        </dd>
      )}
    </div>
  );
}

function ChainState({ sealed }: { readonly sealed: boolean }) {
  const Icon = sealed ? ShieldCheck : ShieldEllipsis;
  return (
    <span className="flex items-start gap-2">
      <Icon aria-hidden className={sealed ? 'mt-1 size-4 text-good' : 'mt-1 size-4 text-warn'} />
      <span className="min-w-0 flex-1">
        {sealed ? (
          <>
            Sealed. <code>npx keyward audit verify</code> would detect a change to this entry.
          </>
        ) : (
          'Not sealed yet. This usually takes a moment. If it persists, contact your administrator.'
        )}
      </span>
    </span>
  );
}

interface FilterLinkProps {
  readonly accountId: string;
  readonly search: { readonly actor?: string; readonly target?: string };
  readonly children: ReactNode;
}

const FilterLink = ({ accountId, search, children }: FilterLinkProps) => (
  <Link
    to="/a/$accountId/audit-log"
    params={{ accountId }}
    search={search}
    className="mt-1 block w-fit text-accent text-sm underline underline-offset-2"
  >
    {children}
  </Link>
);
