import { type FormEvent, useState } from 'react';
import { renameAccount } from '../../api/workspace.ts';
import { useAccount } from '../../app/current.ts';
import { useMay, useRole } from '../../app/session/permissions.ts';
import { Button } from '../../components/buttons/button.tsx';
import { CopyButton } from '../../components/buttons/copy-button.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { ServerCard } from './server-card.tsx';

/** Settings of an account, shared by its teammates. */
export function AccountPage() {
  const account = useAccount();
  const isOwner = useRole() === 'owner';
  return (
    <div className="flex w-full max-w-3xl flex-col gap-6">
      <PageHeader title="Account" description="Settings for everyone in this account." />
      <GeneralCard key={`${account.id} ${account.name}`} id={account.id} name={account.name} />
      {isOwner && <ServerCard />}
    </div>
  );
}

function GeneralCard(account: { readonly id: string; readonly name: string }) {
  const mayWrite = useMay('accounts:write');
  const [name, setName] = useState(account.name);
  const save = useAction(async () => {
    await renameAccount(account.id, name.trim());
    toast({ text: 'Account renamed.' });
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save.run();
  };
  return (
    <Card title="General">
      <form className="grid gap-4 sm:grid-cols-2" onSubmit={submit}>
        <TextField
          label="Account name"
          required
          maxLength={256}
          autoComplete="off"
          value={name}
          onChange={setName}
          error={save.failure}
          disabled={!mayWrite}
          hint={mayWrite ? undefined : 'Only owners can rename the account.'}
        />
        <TextField
          label="Account ID"
          mono
          readOnly
          value={account.id}
          onChange={setName}
          trailing={<CopyButton text={account.id} label="Copy account ID" />}
        />
        {mayWrite && (
          <div>
            <Button
              type="submit"
              busy={save.busy}
              disabled={name.trim() === '' || name.trim() === account.name}
            >
              Save
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}
