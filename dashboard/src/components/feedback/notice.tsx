import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad';

const STYLES = {
  neutral: { background: 'bg-sunken', mark: 'text-muted', Icon: Info },
  accent: { background: 'bg-accent-soft', mark: 'text-accent', Icon: Info },
  good: { background: 'bg-good-soft', mark: 'text-good', Icon: CircleCheck },
  warn: { background: 'bg-warn-soft', mark: 'text-warn', Icon: TriangleAlert },
  bad: { background: 'bg-bad-soft', mark: 'text-bad', Icon: CircleAlert },
};

interface NoticeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** A message in the page. Screen readers announce an error immediately. */
export function Notice({ tone = 'neutral', title, action, children }: NoticeProps) {
  const { background, mark, Icon } = STYLES[tone];
  return (
    <div
      role={tone === 'bad' ? 'alert' : undefined}
      className={cx('flex items-start gap-2.5 rounded-lg px-3 py-2.5', background)}
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

/** Why an action failed. Scrolled into view, because a long form may hide it. */
export const ActionFailure = ({ children }: { readonly children: ReactNode }) => (
  <div ref={(element) => element?.scrollIntoView({ block: 'nearest' })}>
    <Notice tone="bad">{children}</Notice>
  </div>
);
