import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { SecretOnce } from '../../components/display/secret-once.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { useCreation } from '../../hooks/use-action.ts';

interface CreateCredentialProps {
  readonly what: string;
  readonly action: string;
  /** The value, which is inserted into the commands on this page. */
  readonly value: string | null;
  create(idempotencyKey: string): Promise<string>;
  onCreated(value: string): void;
}

/** Creates a credential in place. Its value is kept only on this page. */
export function CreateCredential({
  what,
  action,
  value,
  create,
  onCreated,
}: CreateCredentialProps) {
  const [isOpen, setOpen] = useState(true);
  const creation = useCreation(async (idempotencyKey: string) =>
    onCreated(await create(idempotencyKey)),
  );
  const isShown = value !== null && isOpen;
  const blocker = useBlocker({
    shouldBlockFn: () => isShown,
    enableBeforeUnload: () => isShown,
    withResolver: true,
  });
  if (isShown) {
    return (
      <>
        <SecretOnce what={what} value={value} />
        <div>
          <Button size="sm" onClick={() => setOpen(false)}>
            Done
          </Button>
        </div>
        <Confirm
          open={blocker.status === 'blocked'}
          onClose={() => blocker.reset?.()}
          title={`Leave without copying the ${what}?`}
          consequences="It will not be shown again. If you lose it, create another one."
          action="Leave page"
          onConfirm={async () => blocker.proceed?.()}
        />
      </>
    );
  }
  if (value !== null) return null;
  return (
    <>
      {creation.failure && <Notice tone="bad">{creation.failure}</Notice>}
      <div>
        <Button busy={creation.busy} onClick={() => creation.run()}>
          {action}
        </Button>
      </div>
    </>
  );
}
