import { type ReactNode, useId } from 'react';
import { cx } from '../cx.ts';

interface CardProps {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding, for a list or table that goes to the edges. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

export function Card({ title, description, actions, flush, children }: CardProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className="min-w-0 overflow-hidden rounded-xl border border-line bg-surface"
    >
      {(title || actions) && (
        <header className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 pt-4 pb-3">
          <div className="min-w-0 flex-1">
            <h2 id={id} className="font-semibold">
              {title}
            </h2>
            {description && <p className="text-faint text-sm">{description}</p>}
          </div>
          {actions}
        </header>
      )}
      <div className={cx(!flush && 'px-5 pb-5', !flush && !title && 'pt-5')}>{children}</div>
    </section>
  );
}
