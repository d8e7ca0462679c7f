import { useState } from 'react';
import { renameMe } from '../../api/me.ts';
import { Button } from '../../components/buttons/button.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { Card } from '../../components/layout/card.tsx';
import { useAction } from '../../hooks/use-action.ts';

export function ProfileCard(me: { readonly name: string; readonly email: string }) {
  const [name, setName] = useState(me.name);
  const save = useAction(async () => {
    await renameMe(name.trim());
    toast({ text: 'Name saved.' });
  });
  return (
    <Card title="Profile" description="How teammates in your accounts see you.">
      <form
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <TextField
          label="Name"
          autoComplete="name"
          required
          maxLength={256}
          value={name}
          onChange={setName}
          error={save.failure}
        />
        <TextField label="Email" type="email" value={me.email} onChange={setName} disabled />
        <div>
          <Button type="submit" busy={save.busy} disabled={name.trim() === me.name}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  );
}
