import type { CreditsChoice } from '../../text/limits/credits.ts';
import { localZone } from '../../text/time/time-zone.ts';
import { Checkbox } from './checkbox.tsx';
import { TextField } from './field.tsx';
import { Select } from './select.tsx';

interface CreditsFieldProps {
  readonly label: string;
  readonly hint: string;
  /** A plan has an amount and an interval; a key or customer also what is left and a time zone. */
  readonly of: 'plan' | 'pool';
  readonly value: CreditsChoice;
  /** The value when the form opened: what is left of existing credits is not edited here. */
  readonly initial: CreditsChoice;
  onChange(value: CreditsChoice): void;
  readonly error?: string | null;
}

const INTERVALS = [
  { value: 'never', label: 'Never' },
  { value: 'hour', label: 'Every hour' },
  { value: 'day', label: 'Every day' },
  { value: 'week', label: 'Every week' },
  { value: 'month', label: 'Every month' },
] as const;

export function CreditsField(props: CreditsFieldProps) {
  const { label, hint, of, value, initial, onChange, error } = props;
  const change = (part: Partial<CreditsChoice>) => onChange({ ...value, ...part });
  const isPlan = of === 'plan';
  const isRefilled = value.interval !== 'never';
  return (
    <div className="flex flex-col gap-2.5">
      <Checkbox label={label} hint={hint} checked={value.on} onChange={(on) => change({ on })} />
      {value.on && (
        <div className="grid items-start gap-2 pl-6.5 sm:grid-cols-2">
          {!isPlan && !initial.on && (
            <TextField
              label="Credits to start with"
              inputMode="numeric"
              aria-invalid={error ? true : undefined}
              value={value.remaining}
              onChange={(remaining) => change({ remaining })}
            />
          )}
          {isPlan && (
            <TextField
              label="Credits"
              inputMode="numeric"
              aria-invalid={error ? true : undefined}
              value={value.amount}
              onChange={(amount) => change({ amount })}
            />
          )}
          <Select
            label="Refill"
            value={value.interval}
            options={INTERVALS}
            onChange={(interval) => change({ interval })}
          />
          {!isPlan && isRefilled && (
            <>
              <TextField
                label="Refill to"
                inputMode="numeric"
                aria-invalid={error ? true : undefined}
                value={value.amount}
                onChange={(amount) => change({ amount })}
              />
              <Select
                label="Time zone"
                value={value.timezone}
                options={zonesWith(value.timezone)}
                onChange={(timezone) => change({ timezone })}
              />
            </>
          )}
          {error && (
            <p role="alert" className="text-bad text-sm sm:col-span-2">
              {error}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** UTC and the zone of the browser first. */
const zonesWith = (chosen: string) =>
  [...new Set(['UTC', localZone(), chosen, ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({
    value: zone,
    label: zone.replaceAll('_', ' '),
  }));
