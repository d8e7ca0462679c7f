import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { methodsQuery } from '../../api/sign-in.ts';
import { Button } from '../../components/buttons/button.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { unlinkProvider, useLinkedProviders } from './linked-providers.ts';
import { useConfirmation } from './use-confirmation.tsx';

const route = getRouteApi('/shell/settings');

interface Provider {
  readonly id: string;
  readonly name: string;
}

/** Shown only if identity providers are configured or linked. */
export function ProvidersCard() {
  const { error } = route.useSearch();
  const configured = useQuery(methodsQuery).data?.providers ?? [];
  const linked = useLinkedProviders();
  const isEmailVerified = useMe().data?.emailVerified ?? false;
  const [unlinking, setUnlinking] = useState<Provider | null>(null);
  const { withConfirmation, dialog } = useConfirmation();
  const link = useAction(async (provider: string) => {
    const { url } = await withConfirmation(() => keyward.me.linkProvider({ provider }));
    location.assign(url);
  });
  const isLinked = ({ id }: Provider) => linked.data?.some((each) => each.id === id) ?? false;
  const failure = link.failure ?? explain(error);
  if (configured.length === 0 && !linked.data?.length) return null;
  return (
    <Card
      title="Sign-in providers"
      description="Link a provider to sign in with it. You will be redirected and then return here."
    >
      {linked.isError && <Failure error={linked.error} onRetry={() => linked.refetch()} />}
      <ul className="flex flex-col gap-2">
        {linked.data?.map((provider) => (
          <li key={provider.id} className="flex items-center gap-3">
            <span className="min-w-0 flex-1 truncate">{provider.name}</span>
            <span className="text-faint text-sm">
              <DateTime at={provider.createdAt} form="date" />
            </span>
            <Button
              size="sm"
              kind="quiet"
              aria-label={`Unlink ${provider.name}`}
              onClick={() => setUnlinking(provider)}
            >
              Unlink
            </Button>
          </li>
        ))}
        {configured
          .filter((provider) => !isLinked(provider))
          .map(({ id, name }) => (
            <li key={id}>
              <Button busy={link.busy} onClick={() => link.run(id)}>
                Link {name}
              </Button>
            </li>
          ))}
      </ul>
      {failure && (
        <div className="mt-4">
          <Notice tone="bad">{failure}</Notice>
        </div>
      )}
      <Confirm
        open={unlinking !== null}
        onClose={() => setUnlinking(null)}
        title={`Unlink ${unlinking?.name ?? ''}?`}
        consequences={
          isEmailVerified
            ? `It will be linked again if you sign in with ${unlinking?.name} and your email address.`
            : `You can no longer sign in with ${unlinking?.name}.`
        }
        action="Unlink"
        danger
        onConfirm={() => withConfirmation(() => unlinkProvider(unlinking?.id ?? ''))}
      />
      {dialog}
    </Card>
  );
}

const ADVICE: Partial<Record<string, string>> = {
  email_does_not_match:
    'The provider reported a different email address from yours. Sign in there with your own.',
  account_already_linked_to_different_user: 'This sign-in is already linked to another user.',
};

/** Never shows the code from the URL, which an attacker can set. */
function explain(error: string | undefined): string | null {
  if (error === undefined) return null;
  return ADVICE[error] ?? 'The provider was not linked. Try again.';
}
