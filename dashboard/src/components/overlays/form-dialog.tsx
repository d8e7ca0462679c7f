import { type ReactNode, type SubmitEvent, useId, useState } from 'react';
import type { Change } from '../../text/changes.ts';
import { Button } from '../buttons/button.tsx';
import { ActionFailure } from '../feedback/notice.tsx';
import { CancelButton, type CloseWarning, Dialog, type DialogProps } from './dialog.tsx';

interface FormDialogProps
  extends Pick<DialogProps, 'onClose' | 'title' | 'description' | 'size' | 'children'> {
  /**
   * What the user can enter. If it has changed since the dialog opened, closing asks first. Not set if
   * nothing worth keeping can be entered.
   */
  readonly input?: unknown;
  /** Label of the button that submits. */
  readonly action: string;
  readonly danger?: boolean;
  /** Other buttons, before the one that submits. */
  readonly actions?: ReactNode;
  readonly busy?: boolean;
  /** Why it failed, unless a field shows it. */
  readonly failure?: string | null;
  /** Changes of another user, which submitting again replaces. */
  readonly conflicts?: readonly Change[];
  onSubmit(): unknown;
}

const UNSAVED_CHANGES: CloseWarning = { title: 'Discard your changes?', leave: 'Discard' };

/** A dialog with a form. A field with an error gets the focus when the form is submitted. */
export function FormDialog(props: FormDialogProps) {
  const { input, action, danger, actions, busy = false, failure, conflicts = [] } = props;
  const { onClose, onSubmit, title, description, size, children } = props;
  const form = useId();
  const [initial] = useState(() => JSON.stringify(input));

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const submitted = event.currentTarget;
    await onSubmit();
    // After the errors are rendered.
    setTimeout(() => submitted.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }

  return (
    <Dialog
      open
      {...{ onClose, title, description, size }}
      closesOnBackdrop={false}
      closeWarning={JSON.stringify(input) === initial ? null : UNSAVED_CHANGES}
      footer={
        <>
          <CancelButton />
          {actions}
          <Button kind={danger ? 'danger' : 'solid'} type="submit" form={form} busy={busy}>
            {conflicts.length > 0 ? 'Save anyway' : action}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        {children}
        {conflicts.length > 0 && <EditConflicts conflicts={conflicts} />}
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}

/** Both values of each field that another user changed while the form was open. */
const EditConflicts = ({ conflicts }: { readonly conflicts: readonly Change[] }) => (
  <ActionFailure>
    Someone else changed this while you were editing. Save again to replace their changes.
    <ul className="mt-1">
      {conflicts.map(({ field, before, after }) => (
        <li key={field}>
          {field}: now “{before}”, yours “{after}”
        </li>
      ))}
    </ul>
  </ActionFailure>
);
