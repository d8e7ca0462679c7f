import type { ApiKey } from '../../../api/records.ts';
import { useProject } from '../../../app/current.ts';
import { DateTime } from '../../../components/display/date-time.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import { stateOf } from '../key-state.ts';
import { KeyIdLink } from './key-id-link.tsx';

/** Why calls with this key are refused, or soon will be; nothing where all is well. */
export function KeyTroubles({ apiKey }: { readonly apiKey: ApiKey }) {
  const project = useProject();
  const state = stateOf(apiKey, useNow());
  const isOver =
    apiKey.expiresAt !== null && stateOf({ ...apiKey, isActive: true }, Date.now()) === 'expired';
  if (!project.isActive)
    return (
      <Notice tone="warn" title="Its project is switched off">
        All keys of {project.name} are refused until the project is reactivated.
      </Notice>
    );
  if (apiKey.rotatedTo !== null)
    return (
      <Notice title="This key was rotated">
        <RotatedState apiKey={apiKey} isRefused={state === 'revoked' || state === 'expired'} />{' '}
        <KeyIdLink projectId={apiKey.projectId} keyId={apiKey.rotatedTo}>
          Open its successor
        </KeyIdLink>
      </Notice>
    );
  switch (state) {
    case 'revoked':
      return (
        <Notice title="This key is revoked">
          Calls with it are refused. Reactivate it, and the same value works again
          {isOver ? ' once its expiry is moved as well: it has passed.' : '.'}
        </Notice>
      );
    case 'expired':
      return (
        <Notice tone="bad" title="This key has expired">
          Calls with it are refused since <DateTime at={apiKey.expiresAt} form="exact" />. Edit it
          and move its expiry, and the same value works again.
        </Notice>
      );
    case 'expiring':
      return (
        <Notice tone="warn" title="This key ends soon">
          It is refused from <DateTime at={apiKey.expiresAt} form="exact" />. Move its expiry, or
          rotate it and hand out the new value before that.
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
  if (isRefused) return 'Calls with it are refused.';
  if (apiKey.expiresAt === null) return 'It still works beside its successor.';
  return (
    <>
      It works until <DateTime at={apiKey.expiresAt} form="exact" />.
    </>
  );
}
