import { type ReactNode, useState } from 'react';
import { useAction } from '../../hooks/use-action.ts';
import { Button } from '../buttons/button.tsx';
import { Notice } from '../feedback/notice.tsx';
import { TextField } from '../forms/field.tsx';
import { CancelButton, Dialog } from './dialog.tsx';

interface ConfirmProps {
  readonly open: boolean;
  onClose(): void;
  readonly title: string;
  /** What the action does, who is affected, and whether it can be undone. */
  readonly consequences: ReactNode;
  readonly action: string;
  readonly danger?: boolean;
  /** Text that must be typed first, for actions that cannot be undone. */
  readonly typeToConfirm?: string;
  /** The dialog closes on success, and shows the error on failure. */
  onConfirm(): Promise<unknown>;
}

export function Confirm(props: ConfirmProps) {
  return props.open ? <OpenConfirm {...props} /> : null;
}

function OpenConfirm({ consequences, action, danger, typeToConfirm, ...props }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const [mismatch, setMismatch] = useState<string | null>(null);
  const { run, busy, failure } = useAction(async () => {
    await props.onConfirm();
    props.onClose();
  });

  function confirm() {
    const isReady = typeToConfirm === undefined || typed.trim() === typeToConfirm;
    setMismatch(isReady ? null : `The text does not match ${typeToConfirm}.`);
    if (isReady) void run();
  }

  return (
    <Dialog
      open
      onClose={props.onClose}
      title={props.title}
      description={consequences}
      footer={
        <>
          <CancelButton />
          <Button kind={danger ? 'danger' : 'solid'} busy={busy} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      {typeToConfirm !== undefined && (
        <TextField
          label={`Type ${typeToConfirm} to confirm`}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
        />
      )}
      {(mismatch ?? failure) && <Notice tone="bad">{mismatch ?? failure}</Notice>}
    </Dialog>
  );
}
