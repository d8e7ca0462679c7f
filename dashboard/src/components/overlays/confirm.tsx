import { type ReactNode, useState } from 'react';
import { explain } from '../../text/explain.ts';
import { Button } from '../buttons/button.tsx';
import { Notice } from '../feedback/notice.tsx';
import { TextField } from '../forms/field.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmProps {
  readonly open: boolean;
  onClose(): void;
  readonly title: string;
  /** What happens then, said plainly: who notices, and whether it can be undone. */
  readonly consequences: ReactNode;
  readonly action: string;
  readonly danger?: boolean;
  /** For what cannot be undone: the name that must be typed first. */
  readonly typeToConfirm?: string;
  /** Closes when it succeeds; says what went wrong when it does not. */
  onConfirm(): Promise<unknown>;
}

export function Confirm(props: ConfirmProps) {
  return props.open ? <OpenConfirm {...props} /> : null;
}

function OpenConfirm({ consequences, action, danger, typeToConfirm, ...props }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const ready = typeToConfirm === undefined || typed.trim() === typeToConfirm;

  async function confirm() {
    if (!ready) return setFailure(`The text does not match ${typeToConfirm}.`);
    setBusy(true);
    setFailure(null);
    try {
      await props.onConfirm();
      props.onClose();
    } catch (error) {
      setFailure(explain(error));
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      onClose={props.onClose}
      title={props.title}
      description={consequences}
      footer={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
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
      {failure && <Notice tone="bad">{failure}</Notice>}
    </Dialog>
  );
}
