import { createContext, type ReactNode, use, useId, useState } from 'react';
import { Button } from '../buttons/button.tsx';
import { cx } from '../cx.ts';
import { Notice } from '../feedback/notice.tsx';
import { CloseButton, Modal } from './modal.tsx';

/** Shown instead of closing when Escape, Cancel, the backdrop or the close button would discard input. */
export interface CloseWarning {
  readonly title: string;
  readonly text?: string;
  readonly leave: string;
}

export interface DialogProps {
  readonly open: boolean;
  onClose(): void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly size?: 'sm' | 'md' | 'lg' | 'xl';
  readonly closesOnBackdrop?: boolean;
  readonly closeWarning?: CloseWarning | null;
  /** Buttons, the confirming one last. */
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
}

/** Closes the dialog as Escape does, with the close warning if there is one. */
export const CloseDialog = createContext<() => void>(() => {});

export const CancelButton = () => <Button onClick={use(CloseDialog)}>Cancel</Button>;

const WIDTHS = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-3xl', xl: 'sm:max-w-5xl' };

export function Dialog({
  title,
  description,
  size = 'sm',
  footer,
  children,
  onClose,
  closeWarning,
  ...modal
}: DialogProps) {
  const id = useId();
  const [isLeaving, setLeaving] = useState(false);
  const close = closeWarning ? () => setLeaving(true) : onClose;
  return (
    <Modal
      {...modal}
      onClose={close}
      labelledBy={id}
      {...(description && { describedBy: `${id}-about` })}
      className={cx(
        'm-auto max-h-[min(92dvh,56rem)] w-[calc(100%-1.5rem)] animate-rise overflow-hidden rounded-xl bg-raised text-ink shadow-float backdrop:animate-appear backdrop:bg-[#0006] open:flex open:flex-col',
        WIDTHS[size],
      )}
    >
      <header className="flex items-start gap-3 px-5 pt-4 pb-2">
        <div className="min-w-0 flex-1">
          <h2 id={id} tabIndex={-1} className="font-semibold text-lg">
            {title}
          </h2>
          {description && (
            <div id={`${id}-about`} className="mt-1 text-muted">
              {description}
            </div>
          )}
        </div>
        <CloseButton onClick={close} />
      </header>
      {isLeaving && closeWarning && (
        <div className="px-5 pb-3">
          <Notice
            tone="bad"
            title={closeWarning.title}
            action={
              <span className="flex shrink-0 gap-2">
                <Button size="sm" kind="quiet" onClick={() => setLeaving(false)}>
                  Stay
                </Button>
                <Button size="sm" onClick={onClose}>
                  {closeWarning.leave}
                </Button>
              </span>
            }
          >
            {closeWarning.text}
          </Notice>
        </div>
      )}
      <CloseDialog value={close}>
        <div className="min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5">{children}</div>
        {footer && (
          <footer className="flex flex-wrap justify-end gap-2 border-line border-t bg-surface px-5 py-3">
            {footer}
          </footer>
        )}
      </CloseDialog>
    </Modal>
  );
}
