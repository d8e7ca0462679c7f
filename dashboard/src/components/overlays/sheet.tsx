import { type ReactNode, useId } from 'react';
import { cx } from '../cx.ts';
import { CloseButton, Modal } from './modal.tsx';

interface SheetProps {
  readonly open: boolean;
  onClose(): void;
  readonly title: string;
  readonly side?: 'left' | 'right';
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** A dialog at the edge of the screen, for the details of a list item. */
export function Sheet({ title, side = 'right', footer, children, ...modal }: SheetProps) {
  const id = useId();
  return (
    <Modal
      {...modal}
      labelledBy={id}
      className={cx(
        'h-dvh max-h-none animate-slide bg-raised text-ink shadow-float backdrop:animate-appear backdrop:bg-[#0006] open:flex open:flex-col',
        side === 'right'
          ? 'mr-0 ml-auto w-full max-w-xl'
          : 'mr-auto ml-0 w-72 max-w-[85vw] [--slide-from:-100%]',
      )}
    >
      <header className="flex items-center gap-3 border-line border-b px-5 py-3">
        <h2 id={id} tabIndex={-1} className="min-w-0 flex-1 truncate font-semibold text-lg">
          {title}
        </h2>
        <CloseButton onClick={modal.onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
      {footer && (
        <footer className="flex justify-end gap-2 border-line border-t px-5 py-3">{footer}</footer>
      )}
    </Modal>
  );
}
