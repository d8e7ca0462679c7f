import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad';

const LOOKS = {
  neutral: { ground: 'bg-sunken', mark: 'text-muted', Icon: Info },
  accent: { ground: 'bg-accent-soft', mark: 'text-accent', Icon: Info },
  good: { ground: 'bg-good-soft', mark: 'text-good', Icon: CircleCheck },
  warn: { ground: 'bg-warn-soft', mark: 'text-warn', Icon: TriangleAlert },
  bad: { ground: 'bg-bad-soft', mark: 'text-bad', Icon: CircleAlert },
};

interface NoticeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** A remark in the page. One that is bad is read out at once. */
export function Notice({ tone = 'neutral', title, action, children }: NoticeProps) {
  const { ground, mark, Icon } = LOOKS[tone];
  return (
    <div
      role={tone === 'bad' ? 'alert' : undefined}
      className={cx('flex items-start gap-2.5 rounded-lg px-3 py-2.5', ground)}
    >
      <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0', mark)} />
      <div className="min-w-0 flex-1">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className={title ? 'text-muted' : ''}>{children}</div>}
      </div>
      {action}
    </div>
  );
}

/** Why an action failed, scrolled into view: a long form may have hidden it. */
export const ActionFailure = ({ children }: { readonly children: ReactNode }) => (
  <div ref={(element) => element?.scrollIntoView({ block: 'nearest' })}>
    <Notice tone="bad">{children}</Notice>
  </div>
);
