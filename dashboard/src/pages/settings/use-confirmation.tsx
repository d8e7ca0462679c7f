import { KeywardError } from 'keyward';
import { type ReactNode, useState } from 'react';
import { keyward } from '../../api/client.ts';
import { usePasskeys } from '../../api/me.ts';
import { confirmWithPasskey } from '../../api/sign-in.ts';
import { Button } from '../../components/buttons/button.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { PasswordDialog } from './password-dialog.tsx';

interface PendingConfirmation {
  confirmed(): void;
  cancelled(): void;
}

/** Runs an action. If the server requires the user to confirm their identity, asks and repeats it. */
export function useConfirmation(): {
  withConfirmation<T>(action: () => Promise<T>): Promise<T>;
  dialog: ReactNode;
} {
  const [pending, setPending] = useState<PendingConfirmation | null>(null);
  async function withConfirmation<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof KeywardError) || error.code !== 'confirmation_required') throw error;
      await new Promise<void>((resolve, reject) =>
        setPending({ confirmed: resolve, cancelled: () => reject(error) }),
      ).finally(() => setPending(null));
      return action();
    }
  }
  const dialog = pending && (
    <ConfirmationDialog onClose={pending.cancelled} onConfirmed={pending.confirmed} />
  );
  return { withConfirmation, dialog };
}

interface ConfirmationDialogProps {
  onClose(): void;
  onConfirmed(): void;
}

function ConfirmationDialog({ onClose, onConfirmed }: ConfirmationDialogProps) {
  const hasPasskey = (usePasskeys().data?.length ?? 0) > 0;
  const byPasskey = useAction(async () => {
    await confirmWithPasskey();
    onConfirmed();
  });
  return (
    <PasswordDialog
      title="Confirm that it’s you"
      description="You signed in a while ago. Confirm before you change how you sign in."
      action="Continue"
      actions={
        hasPasskey && (
          <Button busy={byPasskey.busy} onClick={() => byPasskey.run()}>
            Use a passkey
          </Button>
        )
      }
      failure={byPasskey.failure}
      onClose={onClose}
      onPassword={async (password) => {
        await keyward.me.confirm({ password });
        onConfirmed();
      }}
    />
  );
}
