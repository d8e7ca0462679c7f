import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';

interface PageHeaderProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Link to the parent page. */
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
}

/** The heading of a page. Sets the document title; navigation moves the focus to it. */
export function PageHeader({ title, description, above, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Keyward`;
  }, [title]);
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        {above && (
          <div className="mb-1 flex items-center gap-1 text-faint text-sm [&_a]:hover:text-ink [&_a]:hover:underline">
            {above}
            <ChevronRight aria-hidden className="size-3.5" />
          </div>
        )}
        <h1 tabIndex={-1} data-page-title className="font-semibold text-2xl tracking-tight">
          {title}
        </h1>
        {description && <p className="mt-1 max-w-2xl text-muted">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
