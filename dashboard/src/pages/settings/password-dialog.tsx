import { type ReactNode, useState } from 'react';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';

interface PasswordDialogProps {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  readonly danger?: boolean;
  /** Other buttons. */
  readonly actions?: ReactNode;
  /** Why another button failed. */
  readonly failure?: string | null;
  onClose(): void;
  onPassword(password: string): Promise<void>;
}

/** Asks for the password again, to protect an action from a stolen session. */
export function PasswordDialog(props: PasswordDialogProps) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const act = useAction(async () => {
    setError(password === '' ? 'Enter your password.' : null);
    if (password !== '') await props.onPassword(password);
  });
  return (
    <FormDialog
      onClose={props.onClose}
      title={props.title}
      description={props.description}
      action={props.action}
      danger={props.danger}
      actions={props.actions}
      failure={props.failure}
      busy={act.busy}
      onSubmit={act.run}
    >
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={error ?? act.failure}
      />
    </FormDialog>
  );
}
