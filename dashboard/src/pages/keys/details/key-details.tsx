import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { Link } from '@tanstack/react-router';
import type { ApiKey, Plan } from 'keyward';
import { useEffectiveKey } from '../../../api/api-keys.ts';
import { useFindPlan } from '../../../api/plans.ts';
import { useUsage } from '../../../api/usage.ts';
import { CopyField } from '../../../components/buttons/copy-button.tsx';
import { DateTime } from '../../../components/display/date-time.tsx';
import { Fact, None } from '../../../components/display/fact.tsx';
import { CustomerLink, KeyLink, PlanLink } from '../../../components/display/links.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { FieldFacts } from '../../../fields/columns.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import type { Level } from '../../../text/limits/levels.ts';
import { limitText } from '../../../text/limits/limits.ts';
import { wholeNumber } from '../../../text/numbers.ts';
import { periodOf } from '../../../text/time/periods.ts';
import { LevelText } from './key-policies.tsx';

/** In the title and in cards of their own. */
const SHOWN_ELSEWHERE = { name: null, limits: null, credits: null, customMetaData: null };

export function KeyDetails({ apiKey }: { readonly apiKey: ApiKey }) {
  const { clientIP, clientUserAgent, importId } = apiKey.creationContext;
  const effective = useEffectiveKey(apiKey.id).data?.effective;
  const plan = useFindPlan(apiKey.projectId)(effective?.planId ?? apiKey.planId);
  return (
    <Card title="Details">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-3 xl:grid-cols-1">
        <Fact label="ID" className="max-xl:col-span-full">
          <CopyField value={apiKey.id} label="Copy ID" />
        </Fact>
        <FieldFacts
          fields={API_KEY}
          record={apiKey}
          own={{
            ...SHOWN_ELSEWHERE,
            startsAt: apiKey.startsAt && (
              <Fact label="Starts">
                <DateTime at={apiKey.startsAt} form="exact" />
              </Fact>
            ),
            customAccountId: (
              <Fact label="Customer ID">
                {apiKey.customAccountId === null ? (
                  <None text="—" />
                ) : (
                  <CustomerLink projectId={apiKey.projectId} id={apiKey.customAccountId} />
                )}
              </Fact>
            ),
            customUserId: (
              <Fact label="User ID">
                <User apiKey={apiKey} />
              </Fact>
            ),
            planId: (
              <Fact label="Plan">
                {plan ? <PlanOfKey {...{ plan, effective }} /> : <None text="None" />}
              </Fact>
            ),
            rateLimitConfigs: (
              <Fact label="Rate limit">
                <Limit apiKey={apiKey} />
              </Fact>
            ),
            permissions: (
              <Fact label="Permissions">
                <Inherited
                  apiKey={apiKey}
                  items={effective?.permissions ?? apiKey.permissions}
                  level={effective?.levels.permissions ?? null}
                  none="None"
                />
              </Fact>
            ),
            allowedIPs: (
              <Fact label="Allowed IP addresses">
                <Inherited
                  apiKey={apiKey}
                  items={effective ? effective.allowedIPs : apiKey.allowedIPs}
                  level={effective?.levels.allowedIPs ?? null}
                  none="Any"
                />
              </Fact>
            ),
          }}
        />
        <Fact label="Last used">
          <DateTime at={apiKey.lastUsedAt} none="Never" />
        </Fact>
        <Fact label="First used">
          <DateTime at={apiKey.firstUsedAt} none="Never" />
        </Fact>
        <Fact label="Created">
          <DateTime at={apiKey.createdAt} form="exact" />
        </Fact>
        <Fact label="Updated">
          <DateTime at={apiKey.updatedAt} />
        </Fact>
        {apiKey.rotatedFrom && (
          <Fact label="Rotated from" className="max-xl:col-span-full">
            <KeyLink projectId={apiKey.projectId} id={apiKey.rotatedFrom} />
          </Fact>
        )}
        {apiKey.rotatedTo && (
          <Fact label="Rotated to" className="max-xl:col-span-full">
            <KeyLink projectId={apiKey.projectId} id={apiKey.rotatedTo} />
          </Fact>
        )}
        {clientIP && <Fact label="Client IP at creation">{clientIP}</Fact>}
        {clientUserAgent && <Fact label="User agent at creation">{clientUserAgent}</Fact>}
        {importId && <Fact label="Import ID">{importId}</Fact>}
      </dl>
    </Card>
  );
}

type Effective = NonNullable<ReturnType<typeof useEffectiveKey>['data']>['effective'];

interface PlanOfKeyProps {
  readonly plan: Plan;
  readonly effective: Effective;
}

const PlanOfKey = ({ plan, effective }: PlanOfKeyProps) => (
  <>
    <PlanLink {...plan}>{plan.name}</PlanLink>
    {effective?.levels.planId === 'customer' && <None text=" (of the customer)" />}
    {effective?.levels.planId === 'project' && <None text=" (project default)" />}
  </>
);

interface InheritedProps {
  readonly apiKey: ApiKey;
  readonly items: readonly string[] | null;
  readonly level: Level | null;
  readonly none: string;
}

/** A list, and where it is set if not on the key itself. */
function Inherited({ apiKey, items, level, none }: InheritedProps) {
  if (items === null || items.length === 0) return <None text={none} />;
  return (
    <>
      {items.join(', ')}
      {level !== null && level !== 'key' && (
        <p className="text-faint text-sm">
          <LevelText apiKey={apiKey} level={level} />
        </p>
      )}
    </>
  );
}

function User({ apiKey: { projectId, customUserId } }: { readonly apiKey: ApiKey }) {
  if (customUserId === null) return <None text="—" />;
  return (
    <Link
      to="/p/$projectId/keys"
      params={{ projectId }}
      search={{ user: customUserId }}
      className="text-accent hover:underline"
    >
      {customUserId}
    </Link>
  );
}

/** The rate limit, and how many requests all limits of the key refused in the last 24 hours. */
function Limit({ apiKey }: { readonly apiKey: ApiKey }) {
  const limit = apiKey.rateLimitConfigs;
  const { from, to } = periodOf('24h', useNow());
  const usage = useUsage(
    {
      groupBy: 'key',
      interval: 'hour',
      key: apiKey.id,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    },
    { enabled: limit !== null },
  );
  if (!limit) return <None text="None" />;
  const refused = usage.data?.reduce((sum, { rateLimited }) => sum + rateLimited, 0);
  return (
    <>
      {limitText(limit)}
      {refused !== undefined && (
        <p className={refused > 0 ? 'text-warn' : 'text-faint'}>
          {refused > 0
            ? `${wholeNumber(refused)} refused by limits in the last 24 hours`
            : 'No request refused by a limit in the last 24 hours'}
        </p>
      )}
    </>
  );
}
