import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../buttons/icon-button.tsx';
import { TextField } from './field.tsx';

interface PasswordFieldProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
  readonly autoComplete: 'current-password' | 'new-password';
  readonly hint?: string;
  readonly error?: string | null;
}

export function PasswordField(props: PasswordFieldProps) {
  const [visible, setVisible] = useState(false);
  return (
    <TextField
      {...props}
      name={props.autoComplete}
      type={visible ? 'text' : 'password'}
      required
      spellCheck={false}
      autoCapitalize="off"
      trailing={
        <IconButton
          label={visible ? 'Hide password' : 'Show password'}
          onClick={() => setVisible(!visible)}
        >
          {visible ? <EyeOff /> : <Eye />}
        </IconButton>
      }
    />
  );
}
