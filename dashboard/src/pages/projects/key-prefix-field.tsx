import type { Project } from 'keyward';
import { TextField } from '../../components/forms/field.tsx';

interface KeyPrefixFieldProps {
  readonly env: Project['env'];
  readonly value: string;
  onChange(value: string): void;
}

export const KeyPrefixField = ({ env, value, onChange }: KeyPrefixFieldProps) => (
  <TextField
    label="Key prefix"
    optional
    placeholder={`${env}_`}
    hint={`New keys start with it, for example acme_. Existing keys do not change. If empty, keys start with ${env}_.`}
    value={value}
    onChange={onChange}
    maxLength={33}
    autoComplete="off"
  />
);
