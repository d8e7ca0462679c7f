import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { usePortal } from '../state/context.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

export interface CloseWarning {
  readonly title: string;
  readonly text?: string;
  readonly leave: string;
}

interface DialogProps {
  readonly title: string;
  readonly description?: string;
  onClose(): void;
  /** Shown before Escape, Cancel or the close button discards something; null if nothing is lost. */
  readonly closeWarning?: CloseWarning | null;
  /** If given, the dialog is a form. */
  onSubmit?(): void;
  /** Buttons at the bottom, the confirming one last. `close` closes the dialog as Escape does. */
  footer(close: () => void): ReactNode;
  readonly children?: ReactNode;
}

interface FormDialogProps extends Omit<DialogProps, 'footer'> {
  onSubmit(): void;
  readonly submitLabel: string;
  readonly kind?: 'primary' | 'danger';
  readonly busy: boolean;
}

/** A form with the buttons Cancel and `submitLabel`. */
export function FormDialog({ submitLabel, kind = 'primary', busy, ...dialog }: FormDialogProps) {
  const { messages } = usePortal();
  return (
    <Dialog
      {...dialog}
      footer={(close) => (
        <>
          <Button onClick={close}>{messages.cancel}</Button>
          <Button kind={kind} type="submit" busy={busy}>
            {submitLabel}
          </Button>
        </>
      )}
    />
  );
}

/**
 * A native modal dialog: it provides the top layer, the inert page, Escape, and the return of the
 * focus. Mounted only while it is open, so that its content is gone when it closes.
 */
export function Dialog(props: DialogProps) {
  const { title, description, onClose, closeWarning, onSubmit, footer, children } = props;
  const { messages } = usePortal();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isLeaving, setLeaving] = useState(false);
  const close = closeWarning ? () => setLeaving(true) : onClose;

  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    (element.querySelector<HTMLElement>('input, select') ?? element.querySelector('h2'))?.focus();
    // As a layout effect, it closes before React removes the element: only then the focus returns.
    return () => element.close();
  }, []);

  const content = (
    <>
      <div className="kw-dialog-body">{children}</div>
      <footer className="kw-dialog-footer">{footer(close)}</footer>
    </>
  );
  return (
    <dialog
      ref={dialog}
      className="kw-dialog"
      aria-labelledby={id}
      aria-describedby={description && `${id}-text`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
      }}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      // Chrome closes the dialog on a second close request without a cancel event. Open it again.
      onClose={() => {
        if (dialog.current?.isConnected && !dialog.current.open) dialog.current.showModal();
      }}
    >
      <header className="kw-dialog-header">
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" className="kw-close" aria-label={messages.close} onClick={close}>
          <svg aria-hidden="true" viewBox="0 0 16 16" width="16" height="16">
            <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" strokeWidth="1.5" />
          </svg>
        </button>
        {description && <p id={`${id}-text`}>{description}</p>}
      </header>
      {isLeaving && closeWarning && (
        <Notice
          tone="bad"
          title={closeWarning.title}
          action={
            <span className="kw-actions">
              <Button onClick={() => setLeaving(false)}>{messages.form.stay}</Button>
              <Button onClick={onClose}>{closeWarning.leave}</Button>
            </span>
          }
        >
          {closeWarning.text}
        </Notice>
      )}
      {onSubmit ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {content}
        </form>
      ) : (
        content
      )}
    </dialog>
  );
}
