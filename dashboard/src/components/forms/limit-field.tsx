import type { LimitChoice } from '../../text/limits/limits.ts';
import { Checkbox } from './checkbox.tsx';
import { TextField } from './field.tsx';
import { Select } from './select.tsx';

interface LimitFieldProps {
  readonly value: LimitChoice;
  onChange(value: LimitChoice): void;
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | null;
}

export const LIMIT_UNITS = [
  { value: 'second', label: 'seconds' },
  { value: 'minute', label: 'minutes' },
  { value: 'hour', label: 'hours' },
  { value: 'day', label: 'days' },
] as const;

/** A rate limit: off, or a number of requests in a window. */
export function LimitField({ value, onChange, label, hint, error }: LimitFieldProps) {
  const change = (part: Partial<LimitChoice>) => onChange({ ...value, ...part });
  return (
    <div className="flex flex-col gap-2.5">
      <Checkbox label={label} hint={hint} checked={value.on} onChange={(on) => change({ on })} />
      {value.on && (
        <div className="flex flex-wrap items-start gap-2 pl-6.5">
          <div className="w-28">
            <TextField
              label="Requests"
              aria-invalid={error ? true : undefined}
              inputMode="numeric"
              value={value.requests}
              onChange={(requests) => change({ requests })}
            />
          </div>
          <span className="mt-8 text-muted">in</span>
          <div className="w-20">
            <TextField
              label="Window"
              inputMode="numeric"
              value={value.length}
              onChange={(length) => change({ length })}
            />
          </div>
          <div className="w-32">
            <Select
              label="Unit"
              value={value.unit}
              options={LIMIT_UNITS}
              onChange={(unit) => change({ unit })}
            />
          </div>
          {error && (
            <p role="alert" className="w-full text-bad text-sm">
              {error}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
