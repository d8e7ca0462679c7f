import { Check } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { cx } from '../../components/cx.ts';
import { announce } from '../../components/feedback/announcer.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

export function Step({ number, title, isDone, children }: StepProps) {
  const id = useId();
  const wasDone = useRef(isDone);
  useEffect(() => {
    if (isDone && !wasDone.current) announce(`${title}: done`);
    wasDone.current = isDone;
  }, [isDone, title]);
  return (
    <li aria-labelledby={id} className="relative flex gap-4 pb-8 last:pb-0 sm:gap-5">
      <span
        aria-hidden
        className={cx(
          'z-10 flex size-7 shrink-0 items-center justify-center rounded-full border font-semibold text-sm transition-colors',
          isDone ? 'border-good bg-good text-canvas' : 'border-line-strong bg-surface text-muted',
        )}
      >
        {isDone ? <Check className="size-4" /> : number}
      </span>
      <span
        aria-hidden
        className="absolute top-7 bottom-0 left-3.5 w-px bg-line in-[li:last-child]:hidden"
      />
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <h2 id={id} className="font-semibold text-lg leading-7">
          {title}
          {isDone && <span className="sr-only"> (done)</span>}
        </h2>
        {children}
      </div>
    </li>
  );
}
