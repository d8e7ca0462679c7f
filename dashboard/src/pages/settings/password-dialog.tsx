import { useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { CancelButton, Dialog } from '../../components/overlays/dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';

interface PasswordDialogProps {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  readonly danger?: boolean;
  onClose(): void;
  onPassword(password: string): Promise<void>;
}

/** Asks for the password again, to protect an action from a stolen session. */
export function PasswordDialog(props: PasswordDialogProps) {
  const [password, setPassword] = useState('');
  const act = useAction(props.onPassword);
  return (
    <Dialog open onClose={props.onClose} title={props.title} description={props.description}>
      <form
        className="flex flex-col gap-4 pt-2"
        onSubmit={(event) => {
          event.preventDefault();
          void act.run(password);
        }}
      >
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          error={act.failure}
        />
        <div className="flex justify-end gap-2">
          <CancelButton />
          <Button kind={props.danger ? 'danger' : 'solid'} type="submit" busy={act.busy}>
            {props.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
