import { type ReactNode, useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { PASSWORD_HINT } from '../password/password-hint.ts';

interface NewUserFormProps {
  readonly title: string;
  readonly description: ReactNode;
  readonly email?: string;
  /** Omitted if the email address is already known. */
  readonly onEmail?: (email: string) => void;
  readonly action: string;
  readonly busy: boolean;
  readonly failure: string | null;
  onSubmit(user: { name: string; password: string }): unknown;
}

export function NewUserForm(props: NewUserFormProps) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit({ name: name.trim(), password });
      }}
    >
      <PageHeader title={props.title} description={props.description} />
      {props.failure && <Notice tone="bad">{props.failure}</Notice>}
      <TextField
        label="Your name"
        autoComplete="name"
        required
        maxLength={256}
        autoFocus
        value={name}
        onChange={setName}
      />
      {props.onEmail && (
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          required
          value={props.email ?? ''}
          onChange={props.onEmail}
        />
      )}
      <PasswordField
        label="Password"
        autoComplete="new-password"
        hint={PASSWORD_HINT}
        value={password}
        onChange={setPassword}
      />
      <Button kind="solid" size="lg" type="submit" busy={props.busy}>
        {props.action}
      </Button>
    </form>
  );
}
