import type { PlanCredits } from 'keyward';
import { Fact } from '../../components/display/fact.tsx';
import { planCreditsText } from '../../text/limits/credits.ts';
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
    <Fact label="Limits">
      {limits.length === 0 ? (
        <p className="text-muted">None. Only a rate limit of the key itself applies.</p>
      ) : (
        <LimitList label="Limits" limits={limits} />
      )}
    </Fact>
    <Fact label="Credits">
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
    </Fact>
    <Fact label="Permissions">
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
    </Fact>
    <Fact label="IP addresses">
      {allowedIPs === null || allowedIPs.length === 0 ? (
        <p className="text-muted">Any address.</p>
      ) : (
        <p>
          Only from <code>{allowedIPs.join(', ')}</code>
        </p>
      )}
    </Fact>
  </dl>
);
