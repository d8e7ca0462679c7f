import type { ReactNode } from 'react';
import { usePortal } from '../state/context.ts';
import { explain } from '../text/explain.ts';
import { Button } from './button.tsx';

interface NoticeProps {
  readonly tone?: 'info' | 'warn' | 'bad';
  readonly title?: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function Notice({ tone = 'info', title, children, action }: NoticeProps) {
  return (
    <div className={`kw-notice kw-notice-${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <div className="kw-notice-text">
        {title && <strong>{title}</strong>}
        {children && <p>{children}</p>}
      </div>
      {action}
    </div>
  );
}

/** A failed request, with a button that repeats it. */
export function Failure({ error, retry }: { readonly error: Error; retry?(): unknown }) {
  const { messages } = usePortal();
  return (
    <Notice
      tone="bad"
      action={retry && <Button onClick={() => retry()}>{messages.tryAgain}</Button>}
    >
      {explain(error, messages)}
    </Notice>
  );
}

interface EmptyStateProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

export const EmptyState = ({ title, children, action }: EmptyStateProps) => (
  <div className="kw-empty">
    <h3>{title}</h3>
    <p>{children}</p>
    {action}
  </div>
);
