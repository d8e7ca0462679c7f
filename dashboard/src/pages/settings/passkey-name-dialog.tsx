import { useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { CancelButton, Dialog } from '../../components/overlays/dialog.tsx';
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
  const act = useAction(async () => {
    await props.onName(name.trim());
    props.onClose();
  });
  return (
    <Dialog open onClose={props.onClose} title={props.title} description={props.description}>
      <form
        className="flex flex-col gap-4 pt-2"
        onSubmit={(event) => {
          event.preventDefault();
          void act.run();
        }}
      >
        <TextField
          label="Name"
          hint="A name you will recognize, such as “Work laptop”."
          required
          maxLength={64}
          value={name}
          onChange={setName}
          error={act.failure}
        />
        <div className="flex justify-end gap-2">
          <CancelButton />
          <Button kind="solid" type="submit" busy={act.busy}>
            {props.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
