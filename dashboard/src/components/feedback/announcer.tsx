import { useSyncExternalStore } from 'react';

let message = '';
const listeners = new Set<() => void>();

/** Announces a text to screen readers. */
export function announce(text: string): void {
  // Screen readers ignore a text that did not change, so a repeated one gets a trailing space.
  message = message === text ? `${text}\u00a0` : text;
  for (const notify of listeners) notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The live region. It must exist before the first announcement. */
export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div aria-live="polite" role="status" className="sr-only">
      {text}
    </div>
  );
}
