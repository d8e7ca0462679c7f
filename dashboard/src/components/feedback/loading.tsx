import { LoaderCircle } from 'lucide-react';
import { cx } from '../cx.ts';

/** Placeholder while content is loading. */
export const Skeleton = ({ className }: { readonly className: string }) => (
  <span aria-hidden className={cx('block animate-shimmer rounded-md bg-pressed', className)} />
);

/** Placeholder while a page is loading; announced once to screen readers. */
export function PageSkeleton() {
  return (
    <div role="status" className="flex flex-col gap-6">
      <span className="sr-only">Loading…</span>
      <Skeleton className="h-8 w-56" />
      <Skeleton className="h-48 w-full" />
      <Skeleton className="h-24 w-full" />
    </div>
  );
}

export function Spinner({ label }: { readonly label?: string }) {
  return (
    <span role={label ? 'status' : undefined} className="inline-flex">
      <LoaderCircle aria-hidden className="size-4 animate-spin" />
      {label && <span className="sr-only">{label}</span>}
    </span>
  );
}
