import { isCurrent, keyState } from '@keyward/rules/key-state.ts';
import type { ApiKey } from 'keyward';
import { useState } from 'react';
import { useLeakOf } from '../../../api/leaks.ts';
import { useProject } from '../../../app/current.ts';
import { lazyPart } from '../../../app/routing/lazy-page.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { DateTime } from '../../../components/display/date-time.tsx';
import { KeyLink } from '../../../components/display/links.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import { KeyDialogs } from '../dialogs/lazy-dialogs.ts';

/** Few keys have leaked. */
const LeakNotice = lazyPart(
  async () => (await import('../../../components/feedback/leak-notice.tsx')).LeakNotice,
);

/** That the key has leaked, why requests with it are refused, or soon will be. */
export function KeyAlerts({ apiKey }: { readonly apiKey: ApiKey }) {
  const { data: leak } = useLeakOf(apiKey.id);
  const [revoking, setRevoking] = useState(false);
  const mayWrite = useMay('keys:write');
  const isUsable = isCurrent(keyState(apiKey, useNow()));
  return (
    <>
      {leak && isUsable && (
        <LeakNotice leak={leak} onRevoke={mayWrite ? () => setRevoking(true) : null} />
      )}
      <StateAlert apiKey={apiKey} />
      <KeyDialogs
        open={revoking ? 'revoke' : null}
        apiKey={apiKey}
        onClose={() => setRevoking(false)}
        onErased={async () => {}}
      />
    </>
  );
}

function StateAlert({ apiKey }: { readonly apiKey: ApiKey }) {
  const project = useProject();
  const state = keyState(apiKey, useNow());
  const isExpired =
    apiKey.expiresAt !== null && keyState({ ...apiKey, isActive: true }, Date.now()) === 'expired';
  if (!project.isActive)
    return (
      <Notice tone="warn" title="This project is inactive">
        All keys in {project.name} are refused until the project is reactivated.
      </Notice>
    );
  if (apiKey.rotatedTo !== null)
    return (
      <Notice title="This key was rotated">
        <RotatedState apiKey={apiKey} isRefused={!isCurrent(state) || state === 'notStarted'} />{' '}
        <KeyLink projectId={apiKey.projectId} id={apiKey.rotatedTo}>
          View the new key
        </KeyLink>
      </Notice>
    );
  switch (state) {
    case 'revoked':
      return (
        <Notice title="This key is revoked">
          Requests with this key are refused. If you reactivate it, the same value works again
          {isExpired ? ', but you must also extend its expiry date, which has passed.' : '.'}
        </Notice>
      );
    case 'expired':
      return (
        <Notice tone="bad" title="This key has expired">
          Requests with this key have been refused since{' '}
          <DateTime at={apiKey.expiresAt} form="exact" />. Edit the key and extend its expiry date
          to use the same value again.
        </Notice>
      );
    case 'expiring':
      return (
        <Notice tone="warn" title="This key expires soon">
          Requests with it are refused from <DateTime at={apiKey.expiresAt} form="exact" />. Extend
          it, or rotate it and send out the new value before then.
        </Notice>
      );
    case 'notStarted':
      return (
        <Notice tone="warn" title="This key has not started">
          Requests with this key are refused until <DateTime at={apiKey.startsAt} form="exact" />.
        </Notice>
      );
    case 'active':
      return null;
  }
}

interface RotatedStateProps {
  readonly apiKey: ApiKey;
  readonly isRefused: boolean;
}

function RotatedState({ apiKey, isRefused }: RotatedStateProps) {
  if (isRefused) return 'Requests with this key are refused.';
  if (apiKey.expiresAt === null) return 'It still works alongside the new key.';
  return (
    <>
      It works until <DateTime at={apiKey.expiresAt} form="exact" />.
    </>
  );
}
