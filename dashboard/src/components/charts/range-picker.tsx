import { useState } from 'react';
import { PRESETS, parseRange, type Range } from '../../text/ranges.ts';
import { Button } from '../buttons/button.tsx';
import { TextField } from '../forms/field.tsx';
import { Segmented } from '../forms/segmented.tsx';
import { Dialog } from '../overlays/dialog.tsx';

interface RangePickerProps {
  readonly value: Range;
  onChange(range: Range): void;
  /** Whose days they are. */
  readonly days?: string;
}

/** The last hours or days, or two dates. */
export function RangePicker({ value, onChange, days = 'Whole days in UTC' }: RangePickerProps) {
  const [choosing, setChoosing] = useState(false);
  const isCustom = value.includes('..');
  return (
    <>
      <Segmented
        label="Time range"
        value={isCustom ? 'custom' : value}
        options={[
          ...PRESETS,
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
  const [first = '', last = ''] = value.includes('..') ? value.split('..') : [];
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
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
