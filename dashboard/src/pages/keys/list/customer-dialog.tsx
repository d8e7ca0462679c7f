import { type FormEvent, useId, useState } from 'react';
import { Button } from '../../../components/buttons/button.tsx';
import { TextField } from '../../../components/forms/field.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';

interface CustomerDialogProps {
  onClose(): void;
  onChoose(customer: { account?: string; user?: string }): void;
}

/** The keys of one customer, by the ids that they were given. */
export function CustomerDialog({ onClose, onChoose }: CustomerDialogProps) {
  const form = useId();
  const [account, setAccount] = useState('');
  const [user, setUser] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChoose({
      ...(account.trim() && { account: account.trim() }),
      ...(user.trim() && { user: user.trim() }),
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Keys of a customer"
      description="Your own ids, exactly as you gave them to the key."
      footer={
        <Button kind="solid" type="submit" form={form}>
          Show
        </Button>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Account id"
          hint="customAccountId. Write null for keys without one."
          value={account}
          onChange={setAccount}
          maxLength={256}
          autoComplete="off"
        />
        <TextField
          label="User id"
          hint="customUserId"
          value={user}
          onChange={setUser}
          maxLength={256}
          autoComplete="off"
        />
      </form>
    </Dialog>
  );
}
