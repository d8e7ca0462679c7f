import { Fingerprint, Plus } from 'lucide-react';
import { useState } from 'react';
import { addPasskey, removePasskey, renamePasskey, usePasskeys } from '../../api/me.ts';
import { Button } from '../../components/buttons/button.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { PasskeyNameDialog } from './passkey-name-dialog.tsx';
import { useConfirmation } from './use-confirmation.tsx';

interface Named {
  readonly id: string;
  readonly name: string | null;
}

const nameOf = ({ name }: Named): string => name ?? 'Passkey';

export function PasskeysCard() {
  const passkeys = usePasskeys();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Named | null>(null);
  const [renaming, setRenaming] = useState<Named | null>(null);
  const { withConfirmation, dialog } = useConfirmation();
  return (
    <Card
      title="Passkeys"
      description="Sign in with your fingerprint, face or security key instead of a password."
      actions={
        <Button icon={<Plus />} onClick={() => setAdding(true)}>
          Add passkey
        </Button>
      }
    >
      {passkeys.isError && <Failure error={passkeys.error} onRetry={() => passkeys.refetch()} />}
      {passkeys.data?.length === 0 && <p className="text-muted">No passkeys yet.</p>}
      <ul className="flex flex-col gap-2">
        {passkeys.data?.map((passkey) => (
          <li key={passkey.id} className="flex items-center gap-3">
            <Fingerprint aria-hidden className="size-4 text-muted" />
            <span className="min-w-0 flex-1 truncate">{nameOf(passkey)}</span>
            <span className="text-faint text-sm">
              <DateTime at={passkey.createdAt} form="date" />
            </span>
            <Button
              size="sm"
              kind="quiet"
              aria-label={`Rename ${nameOf(passkey)}`}
              onClick={() => setRenaming(passkey)}
            >
              Rename
            </Button>
            <Button
              size="sm"
              kind="quiet"
              aria-label={`Remove ${nameOf(passkey)}`}
              onClick={() => setRemoving(passkey)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {adding && (
        <PasskeyNameDialog
          title="Add a passkey"
          description="Your browser will ask for your fingerprint, face or security key."
          action="Continue"
          onClose={() => setAdding(false)}
          onName={async (name) => {
            await withConfirmation(() => addPasskey(name));
            toast({ text: 'Passkey added.' });
          }}
        />
      )}
      {renaming && (
        <PasskeyNameDialog
          title={`Rename ${nameOf(renaming)}`}
          description="Changes the name shown here. The passkey on your device stays the same."
          action="Save"
          name={renaming.name ?? ''}
          onClose={() => setRenaming(null)}
          onName={(name) => renamePasskey(renaming.id, name)}
        />
      )}
      <Confirm
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove ${removing ? nameOf(removing) : ''}?`}
        consequences="You can no longer sign in with it. Delete it from your device as well."
        action="Remove"
        danger
        onConfirm={() => withConfirmation(() => removePasskey(removing?.id ?? ''))}
      />
      {dialog}
    </Card>
  );
}
