import { useState } from 'react';
import { isoDay, periodOf } from '../../text/time/periods.ts';
import { MONTHS, PRESETS, parseRange, type Range } from '../../text/time/ranges.ts';
import { timeZone } from '../../text/time/time-zone.ts';
import { TextField } from '../forms/field.tsx';
import { Segmented } from '../forms/segmented.tsx';
import { FormDialog } from '../overlays/form-dialog.tsx';

interface RangePickerProps {
  readonly value: Range;
  onChange(range: Range): void;
  /** Also offers calendar months. */
  readonly months?: boolean;
}

/** Selects the last hours or days, or two dates. */
export function RangePicker({ value, onChange, months = false }: RangePickerProps) {
  const [choosing, setChoosing] = useState(false);
  const isCustom = value.includes('..');
  return (
    <>
      <Segmented
        label="Time range"
        value={isCustom ? 'custom' : value}
        options={[
          ...PRESETS,
          ...(months ? MONTHS : []),
          { value: 'custom', label: isCustom ? value.replace('..', ' – ') : 'Custom' },
        ]}
        onChange={(chosen) => (chosen === 'custom' ? setChoosing(true) : onChange(chosen))}
      />
      {choosing && (
        <DatesDialog
          value={value}
          onClose={() => setChoosing(false)}
          onChoose={(range) => {
            setChoosing(false);
            onChange(range);
          }}
        />
      )}
    </>
  );
}

interface DatesDialogProps {
  readonly value: Range;
  onClose(): void;
  onChoose(range: Range): void;
}

function DatesDialog({ value, onClose, onChoose }: DatesDialogProps) {
  const [shown] = useState(() => periodOf(value, Date.now()));
  const [from, setFrom] = useState(isoDay(shown.from));
  const [to, setTo] = useState(isoDay(shown.to - 1));
  const [error, setError] = useState<string | null>(null);
  function choose() {
    const range = `${from}..${to}` as const;
    if (parseRange(range) === range) onChoose(range);
    else setError('Choose a start date and an end date that is not earlier.');
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Custom range"
      description={`Whole days in ${timeZone()}. Both dates are included.`}
      action="Apply"
      onSubmit={choose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="From" type="date" value={from} onChange={setFrom} error={error} />
        <TextField label="To" type="date" value={to} onChange={setTo} />
      </div>
    </FormDialog>
  );
}
