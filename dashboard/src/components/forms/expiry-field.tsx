import type { ExpiryChoice } from '../../text/time/expiry.ts';
import { timeZone } from '../../text/time/time-zone.ts';
import { TextField } from './field.tsx';
import { Select } from './select.tsx';

interface ExpiryFieldProps {
  readonly value: ExpiryChoice;
  onChange(value: ExpiryChoice): void;
  readonly hint?: string;
  readonly error?: string | null;
}

const OPTIONS = [
  { value: 'never', label: 'Never' },
  { value: '7d', label: 'In 7 days' },
  { value: '30d', label: 'In 30 days' },
  { value: '90d', label: 'In 90 days' },
  { value: '365d', label: 'In 1 year' },
  { value: 'moment', label: 'Custom date and time' },
] as const;

/** An expiry: a duration from now, or a date and time. */
export function ExpiryField({ value, onChange, hint, error }: ExpiryFieldProps) {
  return (
    <div className="flex flex-col gap-2">
      <Select
        label="Expires"
        value={value.choice}
        options={OPTIONS}
        hint={value.choice === 'moment' ? undefined : hint}
        onChange={(choice) => onChange({ ...value, choice })}
      />
      {value.choice === 'moment' && (
        <TextField
          label="Expiry date and time"
          labelHidden
          type="datetime-local"
          value={value.moment}
          onChange={(moment) => onChange({ ...value, moment })}
          hint={`${hint ?? ''} Time zone: ${timeZone()}`.trim()}
          error={error}
        />
      )}
    </div>
  );
}
