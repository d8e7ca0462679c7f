import { X } from 'lucide-react';

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
