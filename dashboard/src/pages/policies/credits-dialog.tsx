import type { BodyOf, Credits } from 'keyward';
import { useState } from 'react';
import { toast } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { RadioCards } from '../../components/forms/radio-cards.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { useCreation } from '../../hooks/use-action.ts';
import { creditsIn } from '../../text/limits/credits.ts';
import { counted, wholeNumber } from '../../text/numbers.ts';

type Change = BodyOf<'changeCustomerCredits'>;

interface CreditsDialogProps {
  /** Name of the customer or key. */
  readonly name: string;
  readonly credits: Credits | null;
  change(body: Change, idempotencyKey: string): Promise<Credits>;
  onClose(): void;
}

/** Adds credits to a customer or key, removes some, or sets what is left. */
export function CreditsDialog({ name, credits, change, onClose }: CreditsDialogProps) {
  const [mode, setMode] = useState<'add' | 'remove' | 'set'>('add');
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string | null>(null);
  const { run, busy, failure } = useCreation(change);
  const amount = creditsIn(typed);
  const after = amount === null ? null : resultOf(mode, credits?.remaining, amount);
  const edit = (part: { mode?: typeof mode; typed?: string }) => {
    if (part.mode) setMode(part.mode);
    if (part.typed !== undefined) setTyped(part.typed);
    setError(null);
  };

  async function submit() {
    if (amount === null || (amount === 0 && mode !== 'set'))
      return setError('Enter a whole number, such as 1000.');
    const body = mode === 'set' ? { set: amount } : { add: mode === 'add' ? amount : -amount };
    const changed = await run(body);
    if (!changed) return;
    toast({ text: `${name} has ${counted(changed.remaining, 'credit')} left.` });
    onClose();
  }

  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Change credits"
      description={
        credits
          ? `${name} has ${counted(credits.remaining, 'credit')} left.`
          : `${name} has no credits of its own yet. If its plan gives credits, the change starts from those.`
      }
      input={typed}
      action={ACTIONS[mode]}
      busy={busy}
      failure={failure}
      onSubmit={submit}
    >
      <RadioCards
        label="Change"
        value={mode}
        onChange={(next) => edit({ mode: next })}
        options={[
          { value: 'add', label: 'Add', hint: 'For example after a purchase.' },
          { value: 'remove', label: 'Remove', hint: 'At most those that are left.' },
          { value: 'set', label: 'Set', hint: 'Replaces what is left.' },
        ]}
      />
      <TextField
        label="Credits"
        inputMode="numeric"
        autoComplete="off"
        placeholder="1000"
        value={typed}
        onChange={(text) => edit({ typed: text })}
        error={error}
        hint={
          after === null
            ? 'One request takes one credit, or its cost.'
            : `${wholeNumber(after)} left after this change.`
        }
      />
    </FormDialog>
  );
}

const ACTIONS = { add: 'Add credits', remove: 'Remove credits', set: 'Set credits' };

/**
 * The credits after the change. Null if unknown: without credits of its own, a customer or key starts with
 * those of its plan, if the plan gives any.
 */
function resultOf(
  mode: keyof typeof ACTIONS,
  left: number | undefined,
  amount: number,
): number | null {
  if (mode === 'set') return amount;
  if (left === undefined) return null;
  return mode === 'add' ? left + amount : Math.max(0, left - amount);
}
