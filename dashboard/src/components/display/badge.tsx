import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import type { Tone } from '../feedback/notice.tsx';

const COLORS: Record<Tone, string> = {
  neutral: 'bg-hover text-muted',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
};

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex h-5 shrink-0 items-center gap-1 whitespace-nowrap rounded px-1.5 font-medium text-xs',
        COLORS[tone],
      )}
    >
      {children}
    </span>
  );
}

/** Shown wherever the environment matters: mistaking live for test is expensive. */
export const EnvBadge = ({ env }: { readonly env: 'live' | 'test' }) => (
  <Badge tone={env === 'live' ? 'good' : 'warn'}>{env}</Badge>
);
