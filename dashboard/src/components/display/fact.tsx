import type { ReactNode } from 'react';
import { cx } from '../cx.ts';

interface FactProps {
  readonly label: string;
  /** Takes the whole row where facts are beside each other. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** One entry of a `dl`. */
export const Fact = ({ label, wide, children }: FactProps) => (
  <div className={cx('min-w-0', wide && 'max-xl:col-span-full')}>
    <dt className="text-faint text-sm">{label}</dt>
    <dd className="mt-0.5 break-words">{children}</dd>
  </div>
);

/** For an empty value. */
export const None = ({ text }: { readonly text: string }) => (
  <span className="text-faint">{text}</span>
);
