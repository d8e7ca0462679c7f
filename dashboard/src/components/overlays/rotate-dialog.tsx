import { type ReactNode, useState } from 'react';
import { useLeakOf } from '../../api/leaks.ts';
import { useCreation } from '../../hooks/use-action.ts';
import { Notice } from '../feedback/notice.tsx';
import { Select } from '../forms/select.tsx';
import { FormDialog } from './form-dialog.tsx';

const GRACES = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 1 day' },
  { value: '604800', label: 'In 7 days' },
  { value: '2592000', label: 'In 30 days' },
] as const;

interface RotateDialogProps<Created> {
  readonly keyId: string;
  readonly title: string;
  readonly description: string;
  readonly graceLabel: string;
  /** What the selected time means. */
  graceHint(graceSeconds: number): string;
  rotate(graceSeconds: number, idempotencyKey: string): Promise<Created>;
  /** The dialog that shows the new value once. */
  newValue(created: Created): ReactNode;
  onClose(): void;
}

/** Replaces the value of a key or an access key. The old one works for a while, unless it has leaked. */
export function RotateDialog<Created>(props: RotateDialogProps<Created>) {
  const { data: leak, isPending } = useLeakOf(props.keyId);
  const [grace, setGrace] = useState<(typeof GRACES)[number]['value']>('86400');
  // The value is kept only here, until the dialog closes.
  const [created, setCreated] = useState<Created | null>(null);
  const { run, busy, failure } = useCreation(props.rotate);

  async function rotate() {
    const result = await run(leak ? 0 : Number(grace));
    if (result) setCreated(result);
  }

  if (created) return props.newValue(created);
  // A leaked key must not be offered a grace, not even for a moment.
  if (isPending) return null;
  return (
    <FormDialog
      onClose={props.onClose}
      title={props.title}
      description={props.description}
      action="Rotate"
      busy={busy}
      failure={failure}
      onSubmit={rotate}
    >
      {leak ? (
        <Notice tone="warn" title="The old value stops working immediately">
          It has leaked, so there is no time in which both work.
        </Notice>
      ) : (
        <Select
          label={props.graceLabel}
          value={grace}
          options={GRACES}
          onChange={setGrace}
          hint={props.graceHint(Number(grace))}
        />
      )}
    </FormDialog>
  );
}
