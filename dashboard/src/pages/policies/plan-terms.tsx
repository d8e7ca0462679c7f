import type { ReactNode } from 'react';
import { type PlanCredits, planCreditsText } from '../../text/limits/credits.ts';
import type { NamedLimit } from '../../text/limits/limits.ts';
import { LimitList } from './limit-list.tsx';

interface PlanTermsProps {
  readonly limits: readonly NamedLimit[];
  readonly credits: PlanCredits | null;
  readonly permissions: readonly string[];
  readonly allowedIPs: readonly string[] | null;
}

/** The settings of a key on a plan, if neither the key nor its customer sets anything else. */
export const PlanTerms = ({ limits, credits, permissions, allowedIPs }: PlanTermsProps) => (
  <dl className="flex flex-col gap-4">
    <Term name="Limits">
      {limits.length === 0 ? (
        <p className="text-muted">None. Only a rate limit of the key itself applies.</p>
      ) : (
        <LimitList label="Limits" limits={limits} />
      )}
    </Term>
    <Term name="Credits">
      {credits === null ? (
        <p className="text-muted">Not needed. Requests are not prepaid.</p>
      ) : (
        <>
          <p className="font-medium">{planCreditsText(credits)}</p>
          <p className="text-muted text-sm">
            Each customer gets them at its first request, and all its keys share them. A key without
            a customer gets its own. With none left, requests are refused with 429.
          </p>
        </>
      )}
    </Term>
    <Term name="Permissions">
      {permissions.length === 0 ? (
        <p className="text-muted">None. Requests that require a permission are refused.</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {permissions.map((permission) => (
            <li key={permission}>
              <code className="rounded bg-hover px-1.5 py-0.5">{permission}</code>
            </li>
          ))}
        </ul>
      )}
    </Term>
    <Term name="IP addresses">
      {allowedIPs === null || allowedIPs.length === 0 ? (
        <p className="text-muted">Any address.</p>
      ) : (
        <p>
          Only from <code>{allowedIPs.join(', ')}</code>
        </p>
      )}
    </Term>
  </dl>
);

const Term = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="mb-1 text-faint text-sm">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </div>
);
