import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import type { Tone } from '../feedback/notice.tsx';

const MARKS: Record<Tone, string> = {
  neutral: 'border-[1.5px] border-edge',
  accent: 'bg-accent',
  good: 'bg-good',
  warn: 'bg-warn [clip-path:polygon(50%_0,100%_100%,0_100%)] rounded-none',
  bad: 'bg-bad rounded-[1px]',
};

/** A state with its label. The shape differs too, for users who cannot see the color. */
export function StatusDot({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
}) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span aria-hidden className={cx('size-2 shrink-0 rounded-full', MARKS[tone])} />
      {children}
    </span>
  );
}
