import { type ReactNode, useId } from 'react';
import { cx } from '../cx.ts';
import { CloseButton, Modal } from './modal.tsx';

interface DialogProps {
  readonly open: boolean;
  onClose(): void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly size?: 'sm' | 'md' | 'lg';
  readonly closesOnBackdrop?: boolean;
  /** Buttons, the confirming one last. */
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
}

const WIDTHS = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-3xl' };

export function Dialog({
  title,
  description,
  size = 'sm',
  footer,
  children,
  ...modal
}: DialogProps) {
  const id = useId();
  return (
    <Modal
      {...modal}
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
        <CloseButton onClick={modal.onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5">{children}</div>
      {footer && (
        <footer className="flex flex-wrap justify-end gap-2 border-line border-t bg-surface px-5 py-3">
          {footer}
        </footer>
      )}
    </Modal>
  );
}
