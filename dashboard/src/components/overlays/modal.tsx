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
  /** False where a stray click would lose something that is shown once. */
  readonly closesOnBackdrop?: boolean;
  readonly className: string;
  readonly children: ReactNode;
}

/** The first field; of a group of radio buttons, the one that is chosen. */
function firstField(dialog: HTMLDialogElement): HTMLElement | null {
  const field = dialog.querySelector<HTMLInputElement>(
    'input:not([type="checkbox"]), textarea, select',
  );
  if (field?.type !== 'radio') return field;
  return dialog.querySelector<HTMLElement>('input[type="radio"]:checked') ?? field;
}

/**
 * The browser's own modal dialog: top layer, inert page, Escape, focus that comes back to where it
 * was. Its content exists only while it is open, so that what it holds is gone when it closes.
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
    // The first field, or else the heading: not the button that closes it again.
    (firstField(dialog) ?? dialog.querySelector('h2'))?.focus();
    // Closed before React takes it out of the page: so the focus finds its way back.
    return () => dialog.close();
  }, [dialog]);
  return (
    <dialog
      ref={setDialog}
      aria-labelledby={names.labelledBy}
      aria-label={names.label}
      aria-describedby={names.describedBy}
      onKeyDown={(event) => {
        // An open menu has used the key already; a dialog above this one handles its own.
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        if ((event.target as Element).closest('dialog') !== dialog) return;
        event.preventDefault();
        onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Chrome closes it on a second request without asking: whether it closes is for us to say.
      onClose={() => {
        if (dialog?.isConnected && !dialog.open) dialog.showModal();
      }}
      onPointerDown={(event) => {
        if (closesOnBackdrop && isOutside(event, dialog)) onClose();
      }}
      className={className}
    >
      {dialog && <PortalContainerProvider value={dialog}>{children}</PortalContainerProvider>}
      {/* The one of the page is inert now, and would be heard by nobody. */}
      <Announcer />
    </dialog>
  );
}

/** The backdrop belongs to the dialog: a click there has the dialog as its target. */
function isOutside(
  event: { target: EventTarget; clientX: number; clientY: number },
  dialog: HTMLDialogElement | null,
): boolean {
  if (!dialog || event.target !== dialog) return false;
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < left || x > right || y < top || y > bottom;
}

/** Of a dialog. Without a tooltip, whose own Escape would come before that of the dialog. */
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
