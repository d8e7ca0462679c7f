import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  checkLimitRows,
  LIMITS_MAX,
  type LimitRow,
  newLimitRow,
} from '../../text/limits/limit-rows.ts';
import { Button } from '../buttons/button.tsx';
import { IconButton } from '../buttons/icon-button.tsx';
import { TextField } from './field.tsx';
import { LIMIT_UNITS } from './limit-field.tsx';
import { Select } from './select.tsx';

interface LimitsFieldProps {
  readonly label: string;
  readonly hint: ReactNode;
  readonly value: readonly LimitRow[];
  onChange(rows: readonly LimitRow[]): void;
  /** Set once the form was checked. */
  readonly error?: string | null;
}

/** Up to four named limits. */
export function LimitsField({ label, hint, value, onChange, error }: LimitsFieldProps) {
  const checked = checkLimitRows(value);
  const wrongRow = error && !checked.ok ? checked.row : null;
  const change = (row: number, part: Partial<LimitRow>) =>
    onChange(value.map((one) => (one.row === row ? { ...one, ...part } : one)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2.5">
      <legend className="mb-1.5 font-medium text-sm">
        {label}
        <span className="ml-1.5 font-normal text-faint">optional</span>
      </legend>
      {value.map((one, index) => (
        <LimitRowFields
          key={one.row}
          number={index + 1}
          value={one}
          isWrong={one.row === wrongRow}
          onChange={(part) => change(one.row, part)}
          onRemove={() => onChange(value.filter(({ row }) => row !== one.row))}
        />
      ))}
      {error && (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      )}
      {value.length < LIMITS_MAX && (
        <div>
          <Button
            size="sm"
            icon={<Plus />}
            onClick={() => onChange([...value, newLimitRow(value)])}
          >
            Add limit
          </Button>
        </div>
      )}
      <p className="text-faint text-sm">{hint}</p>
    </fieldset>
  );
}

const PER = [
  { value: 'key', label: 'Each key' },
  { value: 'customer', label: 'Each customer' },
] as const;

const ALGORITHMS = [
  { value: 'fixed', label: 'Fixed window' },
  { value: 'sliding', label: 'Sliding window' },
] as const;

const MODES = [
  { value: 'enforce', label: 'Refuse with 429' },
  { value: 'shadow', label: 'Only report (shadow)' },
] as const;

interface LimitRowFieldsProps {
  readonly number: number;
  readonly value: LimitRow;
  readonly isWrong: boolean;
  onChange(part: Partial<LimitRow>): void;
  onRemove(): void;
}

function LimitRowFields({ number, value, isWrong, onChange, onRemove }: LimitRowFieldsProps) {
  const set =
    <Name extends keyof LimitRow>(name: Name) =>
    (chosen: LimitRow[Name]) =>
      onChange({ [name]: chosen });
  const label = value.name.trim() || String(number);
  return (
    <fieldset className="min-w-0 rounded-lg border border-line-strong p-3">
      <legend className="sr-only">Limit {label}</legend>
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 grid-cols-2 gap-2 sm:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_4.5rem_7.5rem]">
          <TextField
            label="Limit name"
            mono
            aria-invalid={isWrong || undefined}
            spellCheck={false}
            autoComplete="off"
            maxLength={32}
            value={value.name}
            onChange={set('name')}
          />
          <TextField
            label="Requests"
            inputMode="numeric"
            aria-invalid={isWrong || undefined}
            value={value.requests}
            onChange={set('requests')}
          />
          <TextField
            label="Window"
            inputMode="numeric"
            value={value.length}
            onChange={set('length')}
          />
          <Select label="Unit" value={value.unit} options={LIMIT_UNITS} onChange={set('unit')} />
        </div>
        <div className="mt-6.5">
          <IconButton label={`Remove limit ${label}`} onClick={onRemove}>
            <X />
          </IconButton>
        </div>
      </div>
      <div className="mt-3 grid gap-2 sm:grid-cols-3">
        <Select label="Counted for" value={value.per} options={PER} onChange={set('per')} />
        <Select
          label="Type of window"
          value={value.algorithm}
          options={ALGORITHMS}
          onChange={set('algorithm')}
        />
        <Select label="When reached" value={value.mode} options={MODES} onChange={set('mode')} />
      </div>
    </fieldset>
  );
}
