import { useState } from 'react';
import { TextField } from '../../components/forms/field.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';

interface PasskeyNameDialogProps {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  /** The current name. */
  readonly name?: string;
  onClose(): void;
  onName(name: string): Promise<void>;
}

export function PasskeyNameDialog(props: PasskeyNameDialogProps) {
  const [name, setName] = useState(props.name ?? '');
  const [error, setError] = useState<string | null>(null);
  const act = useAction(async () => {
    setError(name.trim() === '' ? 'Enter a name.' : null);
    if (name.trim() === '') return;
    await props.onName(name.trim());
    props.onClose();
  });
  return (
    <FormDialog
      onClose={props.onClose}
      title={props.title}
      description={props.description}
      action={props.action}
      busy={act.busy}
      onSubmit={act.run}
    >
      <TextField
        label="Name"
        hint="A name you will recognize, such as “Work laptop”."
        required
        maxLength={64}
        value={name}
        onChange={setName}
        error={error ?? act.failure}
      />
    </FormDialog>
  );
}
