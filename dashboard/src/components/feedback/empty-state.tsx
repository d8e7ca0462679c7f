import type { ReactNode } from 'react';
import { CodeBlock } from '../display/code-block.tsx';

interface EmptyStateProps {
  readonly icon?: ReactNode;
  readonly title: string;
  /** What the page is for, and the next step. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** The same action with the API, ready to run. */
  readonly example?: { readonly label: string; readonly code: string };
}

export function EmptyState({ icon, title, children, action, example }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center gap-4 px-4 py-14 text-center">
      {icon && (
        <span
          aria-hidden
          className="flex size-11 items-center justify-center rounded-xl border border-line bg-surface text-muted shadow-raised [&_svg]:size-5"
        >
          {icon}
        </span>
      )}
      <div>
        <h2 className="font-semibold text-lg">{title}</h2>
        <div className="mt-1 text-balance text-muted">{children}</div>
      </div>
      {action}
      {example && (
        <div className="mt-2 w-full text-left">
          <CodeBlock {...example} />
        </div>
      )}
    </div>
  );
}
