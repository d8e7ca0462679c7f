import type { ReactNode } from 'react';
import { cx } from '../cx.ts';

interface FactProps {
  readonly label: string;
  readonly children: ReactNode;
}

interface StackedFactProps extends FactProps {
  /** Position in the grid of the `dl`. */
  readonly className?: string;
}

/** One entry of a `dl`, with the label above. */
export const Fact = ({ label, className, children }: StackedFactProps) => (
  <div className={cx('min-w-0', className)}>
    <dt className="text-faint text-sm">{label}</dt>
    <dd className="mt-0.5 break-words">{children}</dd>
  </div>
);

/** One row of a `dl` with two columns, with the label beside. */
export const FactRow = ({ label, children }: FactProps) => (
  <>
    <dt className="text-muted">{label}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </>
);

/** For an empty value. */
export const None = ({ text }: { readonly text: string }) => (
  <span className="text-faint">{text}</span>
);
