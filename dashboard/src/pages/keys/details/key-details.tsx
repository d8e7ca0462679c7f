import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ApiKey } from '../../../api/records.ts';
import { useUsage } from '../../../api/usage.ts';
import { CopyField } from '../../../components/buttons/copy-button.tsx';
import { cx } from '../../../components/cx.ts';
import { DateTime } from '../../../components/display/date-time.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import { limitText } from '../../../text/limits.ts';
import { wholeNumber } from '../../../text/numbers.ts';
import { periodOf } from '../../../text/periods.ts';
import { KeyIdLink } from './key-id-link.tsx';

export function KeyDetails({ apiKey }: { readonly apiKey: ApiKey }) {
  const { clientIP, clientUserAgent, importId } = apiKey.creationContext;
  return (
    <Card title="Details">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-3 xl:grid-cols-1">
        <Item label="ID" wide>
          <CopyField value={apiKey.id} label="Copy ID" />
        </Item>
        <Item label="Customer ID">
          <Customer apiKey={apiKey} by="account" id={apiKey.customAccountId} />
        </Item>
        <Item label="User ID">
          <Customer apiKey={apiKey} by="user" id={apiKey.customUserId} />
        </Item>
        <Item label="Rate limit">
          <Limit apiKey={apiKey} />
        </Item>
        <Item label="Expires">
          <DateTime at={apiKey.expiresAt} form="exact" none="Never" />
        </Item>
        <Item label="Allowed domains">
          {apiKey.allowedDomains?.join(', ') ?? <None text="Any" />}
        </Item>
        <Item label="Permissions">
          {apiKey.permissions.length > 0 ? apiKey.permissions.join(', ') : <None text="None" />}
        </Item>
        <Item label="Allowed IP addresses">
          {apiKey.allowedIPs?.join(', ') ?? <None text="Any" />}
        </Item>
        {apiKey.startsAt && (
          <Item label="Starts">
            <DateTime at={apiKey.startsAt} form="exact" />
          </Item>
        )}
        <Item label="Tags">
          {apiKey.tags.length > 0 ? apiKey.tags.join(', ') : <None text="None" />}
        </Item>
        <Item label="Last used">
          <DateTime at={apiKey.lastUsedAt} none="Never" />
        </Item>
        <Item label="First used">
          <DateTime at={apiKey.firstUsedAt} none="Never" />
        </Item>
        <Item label="Created">
          <DateTime at={apiKey.createdAt} form="exact" />
        </Item>
        <Item label="Updated">
          <DateTime at={apiKey.updatedAt} />
        </Item>
        {apiKey.rotatedFrom && (
          <Item label="Rotated from" wide>
            <KeyIdLink projectId={apiKey.projectId} keyId={apiKey.rotatedFrom} />
          </Item>
        )}
        {apiKey.rotatedTo && (
          <Item label="Rotated to" wide>
            <KeyIdLink projectId={apiKey.projectId} keyId={apiKey.rotatedTo} />
          </Item>
        )}
        {clientIP && <Item label="Client IP at creation">{clientIP}</Item>}
        {clientUserAgent && <Item label="User agent at creation">{clientUserAgent}</Item>}
        {importId && <Item label="Import ID">{importId}</Item>}
      </dl>
    </Card>
  );
}

interface ItemProps {
  readonly label: string;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

const Item = ({ label, wide, children }: ItemProps) => (
  <div className={cx('min-w-0', wide && 'max-xl:col-span-full')}>
    <dt className="text-faint text-sm">{label}</dt>
    <dd className="mt-0.5 break-words">{children}</dd>
  </div>
);

const None = ({ text }: { readonly text: string }) => <span className="text-faint">{text}</span>;

interface CustomerProps {
  readonly apiKey: ApiKey;
  readonly by: 'account' | 'user';
  readonly id: string | null;
}

function Customer({ apiKey, by, id }: CustomerProps) {
  if (id === null) return <None text="—" />;
  return (
    <Link
      to="/p/$projectId/keys"
      params={{ projectId: apiKey.projectId }}
      search={{ [by]: id }}
      className="text-accent hover:underline"
    >
      {id}
    </Link>
  );
}

/** The rate limit, and how often it was reached in the last 24 hours. */
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
  const rejected = usage.data?.reduce((sum, { rateLimited }) => sum + rateLimited, 0);
  return (
    <>
      {limitText(limit)}
      {rejected !== undefined && (
        <p className={rejected > 0 ? 'text-warn' : 'text-faint'}>
          {rejected > 0
            ? `${wholeNumber(rejected)} rejected in the last 24 hours`
            : 'Not reached in the last 24 hours'}
        </p>
      )}
    </>
  );
}
