import { useQuery } from '@tanstack/react-query';
import { keyward } from '../../api/client.ts';
import { methodsQuery } from '../../api/sign-in.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Card } from '../../components/layout/card.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { useConfirmation } from './use-confirmation.tsx';

/** Shown only if identity providers are configured. */
export function ProvidersCard() {
  const providers = useQuery(methodsQuery).data?.providers ?? [];
  const { withConfirmation, dialog } = useConfirmation();
  const link = useAction(async (provider: string) => {
    const { url } = await withConfirmation(() => keyward.me.linkProvider({ provider }));
    location.assign(url);
  });
  if (providers.length === 0) return null;
  return (
    <Card
      title="Sign-in providers"
      description="Link a provider to sign in with it. You will be redirected and then return here."
    >
      <div className="flex flex-wrap gap-2">
        {providers.map(({ id, name }) => (
          <Button key={id} busy={link.busy} onClick={() => link.run(id)}>
            Link {name}
          </Button>
        ))}
      </div>
      {link.failure && (
        <div className="mt-4">
          <Notice tone="bad">{link.failure}</Notice>
        </div>
      )}
      {dialog}
    </Card>
  );
}
