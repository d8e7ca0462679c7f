import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, use } from 'react';
import { Button } from '../buttons/button.tsx';
import { CloseDialog, Dialog, type DialogProps } from './dialog.tsx';

interface ShownOnceDialogProps
  extends Pick<DialogProps, 'onClose' | 'title' | 'description' | 'size' | 'children'> {
  /** The value, as the subject of a sentence: `This secret`. */
  readonly what: string;
  /** What to do before closing, and after losing the value. */
  readonly advice: string;
  /** Buttons before `Done`. */
  readonly actions?: ReactNode;
}

/** A dialog with a value that is shown once. It warns unless it is closed by its buttons. */
export const ShownOnceDialog = ({
  what,
  advice,
  actions,
  children,
  ...dialog
}: ShownOnceDialogProps) => (
  <Dialog
    open
    size="md"
    {...dialog}
    closesOnBackdrop={false}
    closeWarning={{
      title: `${what} will not be shown again`,
      text: advice,
      leave: 'Close anyway',
    }}
    footer={
      <>
        {actions}
        <Button kind="solid" onClick={dialog.onClose}>
          Done
        </Button>
      </>
    }
  >
    <WarnsOnNavigation />
    {children}
  </Dialog>
);

/** Shows the warning also when the user goes back, or leaves the page. */
function WarnsOnNavigation(): null {
  const close = use(CloseDialog);
  useBlocker({
    shouldBlockFn({ action, current, next }) {
      // Some dialogs are closed by changing the query of the page.
      const isOwn = action === 'PUSH' || action === 'REPLACE';
      if (isOwn && current.pathname === next.pathname) return false;
      close();
      return true;
    },
  });
  return null;
}
