import { X } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { Announcer } from '../feedback/announcer.tsx';
import { PortalContainerProvider } from './portal-container.ts';

interface ModalProps {
  readonly open: boolean;
  onClose(): void;
  /** Id of the heading. */
  readonly labelledBy?: string;
  readonly label?: string;
  readonly describedBy?: string;
  /** False if an accidental click could lose input, or a value that is shown once. */
  readonly closesOnBackdrop?: boolean;
  readonly className: string;
  readonly children: ReactNode;
}

/** The first field, or the selected option if that is a radio group. */
function firstField(dialog: HTMLDialogElement): HTMLElement | null {
  const field = dialog.querySelector<HTMLInputElement>(
    'input:not([type="checkbox"]), textarea, select',
  );
  if (field?.type !== 'radio') return field;
  return dialog.querySelector<HTMLElement>('input[type="radio"]:checked') ?? field;
}

/**
 * A native modal dialog, which provides the top layer, an inert page, Escape, and the return of the
 * focus. Its content exists only while it is open, so its state is gone when it closes.
 */
export function Modal(props: ModalProps) {
  return props.open ? <OpenModal {...props} /> : null;
}

function OpenModal({
  closesOnBackdrop = true,
  onClose,
  className,
  children,
  ...names
}: ModalProps) {
  const [dialog, setDialog] = useState<HTMLDialogElement | null>(null);
  useLayoutEffect(() => {
    if (!dialog) return;
    dialog.showModal();
    // The first field, or else the heading, rather than the close button.
    (firstField(dialog) ?? dialog.querySelector('h2'))?.focus();
    // Close before React removes the element, so that the browser restores the focus.
    return () => dialog.close();
  }, [dialog]);
  return (
    <dialog
      ref={setDialog}
      aria-labelledby={names.labelledBy}
      aria-label={names.label}
      aria-describedby={names.describedBy}
      onKeyDown={(event) => {
        // An open menu has already handled the key, and a dialog above this one handles its own.
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        if ((event.target as Element).closest('dialog') !== dialog) return;
        event.preventDefault();
        onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Chrome closes the dialog on a second close request without a cancel event. Reopen it.
      onClose={() => {
        if (dialog?.isConnected && !dialog.open) dialog.showModal();
      }}
      onPointerDown={(event) => {
        if (closesOnBackdrop && isOutside(event, dialog)) onClose();
      }}
      className={className}
    >
      {dialog && <PortalContainerProvider value={dialog}>{children}</PortalContainerProvider>}
      {/* The announcer of the page is inert now, so screen readers ignore it. */}
      <Announcer />
    </dialog>
  );
}

/** A click on the backdrop has the dialog as its target. */
function isOutside(
  event: { target: EventTarget; clientX: number; clientY: number },
  dialog: HTMLDialogElement | null,
): boolean {
  if (!dialog || event.target !== dialog) return false;
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < left || x > right || y < top || y > bottom;
}

/** Has no tooltip, because a tooltip would handle Escape before the dialog. */
export const CloseButton = ({ onClick }: { readonly onClick: () => void }) => (
  <button
    type="button"
    aria-label="Close"
    onClick={onClick}
    className="-mr-2 inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
  >
    <X aria-hidden className="size-4" />
  </button>
);
