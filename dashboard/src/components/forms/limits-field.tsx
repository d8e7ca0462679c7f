import { REQUESTS } from '@keyward/rules/cost.ts';
import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  checkLimitRows,
  intervalOf,
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
  /** Units that limits can count besides requests. */
  readonly units: readonly string[];
  onChange(rows: readonly LimitRow[]): void;
  /** Set once the form was checked. */
  readonly error?: string | null;
}

/** Up to eight named limits. */
export function LimitsField({ label, hint, value, units, onChange, error }: LimitsFieldProps) {
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
          units={units}
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

const WINDOW_UNITS = [
  ...LIMIT_UNITS,
  { value: 'calendar day', label: 'calendar day' },
  { value: 'calendar week', label: 'calendar week' },
  { value: 'calendar month', label: 'calendar month' },
] as const;

const MODES = [
  { value: 'enforce', label: 'Refuse with 429' },
  { value: 'shadow', label: 'Only report (shadow)' },
] as const;

interface LimitRowFieldsProps {
  readonly number: number;
  readonly value: LimitRow;
  readonly units: readonly string[];
  readonly isWrong: boolean;
  onChange(part: Partial<LimitRow>): void;
  onRemove(): void;
}

function LimitRowFields(props: LimitRowFieldsProps) {
  const { number, value, isWrong, onChange, onRemove } = props;
  const set =
    <Name extends keyof LimitRow>(name: Name) =>
    (chosen: LimitRow[Name]) =>
      onChange({ [name]: chosen });
  const label = value.name.trim() || String(number);
  const isCalendar = intervalOf(value.unit) !== undefined;
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
            label={value.counts === REQUESTS ? 'Requests' : 'Amount'}
            inputMode="numeric"
            aria-invalid={isWrong || undefined}
            value={value.requests}
            onChange={set('requests')}
          />
          <TextField
            label="Window"
            inputMode="numeric"
            disabled={isCalendar}
            value={isCalendar ? '1' : value.length}
            onChange={set('length')}
          />
          <Select label="Unit" value={value.unit} options={WINDOW_UNITS} onChange={set('unit')} />
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
          value={isCalendar ? 'fixed' : value.algorithm}
          options={isCalendar ? ALGORITHMS.slice(0, 1) : ALGORITHMS}
          onChange={set('algorithm')}
        />
        <Select label="When reached" value={value.mode} options={MODES} onChange={set('mode')} />
      </div>
      <WhatIsCounted {...props} />
    </fieldset>
  );
}

/** What few limits set: their unit, the requests that they are for, and the calendar. */
function WhatIsCounted({ value, units, onChange }: LimitRowFieldsProps) {
  const isCalendar = intervalOf(value.unit) !== undefined;
  const counted = [...new Set([REQUESTS, ...units, value.counts])];
  const isOpen = value.resources !== '' || value.counts !== REQUESTS || isCalendar;
  return (
    <details className="mt-3" open={isOpen}>
      <summary className="cursor-pointer text-muted text-sm">What is counted</summary>
      <div className="mt-2 grid gap-2 sm:grid-cols-2">
        <Select
          label="Counts"
          value={value.counts}
          options={counted.map((unit) => ({ value: unit, label: unit }))}
          onChange={(counts) => onChange({ counts })}
        />
        <TextField
          label="Only for"
          mono
          optional
          placeholder="POST:/v1/chat*"
          spellCheck={false}
          autoComplete="off"
          value={value.resources}
          onChange={(resources) => onChange({ resources })}
        />
        {isCalendar && (
          <>
            <TextField
              label="Time zone"
              optional
              placeholder="UTC"
              autoComplete="off"
              maxLength={64}
              value={value.timezone}
              onChange={(timezone) => onChange({ timezone })}
            />
            <TextField
              label="Anchor"
              optional
              placeholder="2030-01-15, or customer"
              autoComplete="off"
              maxLength={64}
              value={value.anchor}
              onChange={(anchor) => onChange({ anchor })}
            />
          </>
        )}
      </div>
    </details>
  );
}
