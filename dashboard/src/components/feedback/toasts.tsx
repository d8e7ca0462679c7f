import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { createStore } from '../../hooks/create-store.ts';
import { explain } from '../../text/explain.ts';
import { Button } from '../buttons/button.tsx';
import { IconButton } from '../buttons/icon-button.tsx';
import { StatusDot } from '../display/status-dot.tsx';
import { announce } from './announcer.tsx';

export interface Toast {
  readonly text: string;
  readonly tone?: 'good' | 'bad' | 'neutral';
  /** Usually `Undo`. */
  readonly action?: { readonly label: string; run(): unknown };
}

interface ShownToast extends Toast {
  readonly id: number;
}

const shown = createStore<readonly ShownToast[]>([]);
let lastId = 0;

export function toast(content: Toast): void {
  lastId += 1;
  shown.set([...shown.get().slice(-2), { ...content, id: lastId }]);
  announce(content.action ? `${content.text} ${content.action.label} is available.` : content.text);
}

/** Shows what went wrong and what to do. */
export const toastFailure = (error: unknown): void => toast({ text: explain(error), tone: 'bad' });

const dismiss = (id: number) => shown.set(shown.get().filter((one) => one.id !== id));

export function Toasts() {
  const toasts = shown.use();
  const [isPaused, setPaused] = useState(false);
  return (
    <section
      aria-label="Messages"
      // Toasts stay while the pointer or the focus is on them.
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      className="pointer-events-none fixed inset-x-3 bottom-3 z-50 flex flex-col items-end gap-2 sm:left-auto"
    >
      {toasts.map((one) => (
        <ToastCard key={one.id} toast={one} isPaused={isPaused} />
      ))}
    </section>
  );
}

const DURATION_MS = { good: 6_000, neutral: 6_000, bad: 12_000 };

function ToastCard({
  toast: content,
  isPaused,
}: {
  readonly toast: ShownToast;
  readonly isPaused: boolean;
}) {
  const { id, text, tone = 'good', action } = content;
  useEffect(() => {
    if (isPaused) return;
    const timer = setTimeout(() => dismiss(id), DURATION_MS[tone]);
    return () => clearTimeout(timer);
  }, [isPaused, id, tone]);
  return (
    <div className="pointer-events-auto flex w-full max-w-sm animate-rise items-center gap-3 rounded-lg bg-raised py-2 pr-2 pl-4 shadow-float">
      <span className="min-w-0 flex-1">
        <StatusDot tone={tone}>
          <span className="whitespace-normal">{text}</span>
        </StatusDot>
      </span>
      {action && (
        <Button
          size="sm"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label="Dismiss" onClick={() => dismiss(id)}>
        <X />
      </IconButton>
    </div>
  );
}
