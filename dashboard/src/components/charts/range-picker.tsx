import { useState } from 'react';
import { dayText, localPeriod } from '../../text/local-buckets.ts';
import { MONTHS, PRESETS, parseRange, type Range } from '../../text/ranges.ts';
import { Button } from '../buttons/button.tsx';
import { TextField } from '../forms/field.tsx';
import { Segmented } from '../forms/segmented.tsx';
import { Dialog } from '../overlays/dialog.tsx';

interface RangePickerProps {
  readonly value: Range;
  onChange(range: Range): void;
  /** Whose days they are. */
  readonly days?: string;
  /** Offers calendar months too. */
  readonly months?: boolean;
}

/** The last hours or days, or two dates. */
export function RangePicker(props: RangePickerProps) {
  const { value, onChange, days = 'Whole days in UTC', months = false } = props;
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
          days={days}
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
  readonly days: string;
  onClose(): void;
  onChoose(range: Range): void;
}

function DatesDialog({ value, days, onClose, onChoose }: DatesDialogProps) {
  const [shown] = useState(() => localPeriod(value, Date.now()));
  const [from, setFrom] = useState(dayText(shown.from));
  const [to, setTo] = useState(dayText(shown.to - 1));
  const [error, setError] = useState<string | null>(null);
  function choose() {
    const range = `${from}..${to}` as const;
    if (parseRange(range) === range) onChoose(range);
    else setError('Choose two days, the earlier one first.');
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Choose two dates"
      description={`${days}, both included.`}
      footer={
        <Button kind="solid" onClick={choose}>
          Show
        </Button>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="From" type="date" value={from} onChange={setFrom} error={error} />
        <TextField label="To" type="date" value={to} onChange={setTo} />
      </div>
    </Dialog>
  );
}
