import { Fingerprint, Plus } from 'lucide-react';
import { useState } from 'react';
import { addPasskey, removePasskey, usePasskeys } from '../../api/passkeys.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { DateTime } from '../../components/date-time.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Failure } from '../../components/failure.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toasts.tsx';
import { useAction } from '../../hooks/use-action.ts';

export function PasskeysCard() {
  const passkeys = usePasskeys();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<{ id: string; name: string | null } | null>(null);
  return (
    <Card
      title="Passkeys"
      description="Sign in with your finger, face or security key: nothing to type, nothing to steal."
      actions={
        <Button icon={<Plus />} onClick={() => setAdding(true)}>
          Add
        </Button>
      }
    >
      {passkeys.isError && <Failure error={passkeys.error} onRetry={() => passkeys.refetch()} />}
      {passkeys.data?.length === 0 && <p className="text-muted">You have none yet.</p>}
      <ul className="flex flex-col gap-2">
        {passkeys.data?.map((passkey) => (
          <li key={passkey.id} className="flex items-center gap-3">
            <Fingerprint aria-hidden className="size-4 text-muted" />
            <span className="min-w-0 flex-1 truncate">{passkey.name ?? 'Passkey'}</span>
            <span className="text-faint text-sm">
              <DateTime at={passkey.createdAt} form="date" />
            </span>
            <Button size="sm" kind="quiet" onClick={() => setRemoving(passkey)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {adding && <AddPasskeyDialog onClose={() => setAdding(false)} />}
      <Confirm
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove ${removing?.name ?? 'this passkey'}?`}
        consequences="It no longer signs you in. Delete it from the device as well."
        action="Remove"
        danger
        onConfirm={() => removePasskey(removing?.id ?? '')}
      />
    </Card>
  );
}

function AddPasskeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const add = useAction(async () => {
    await addPasskey(name.trim());
    toast({ text: 'The passkey is added.' });
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add a passkey"
      description="Your browser asks for your finger, face or security key next."
    >
      <form
        className="flex flex-col gap-4 pt-2"
        onSubmit={(event) => {
          event.preventDefault();
          void add.run();
        }}
      >
        <TextField
          label="Name"
          hint="So that you know it later: “Work laptop”."
          required
          maxLength={64}
          value={name}
          onChange={setName}
          error={add.failure}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="solid" type="submit" busy={add.busy}>
            Continue
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
