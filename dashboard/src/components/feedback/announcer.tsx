import { useSyncExternalStore } from 'react';

let message = '';
const listeners = new Set<() => void>();

/** Says something to screen readers, politely. */
export function announce(text: string): void {
  // The same words twice are read twice only if the text differs.
  message = message === text ? `${text}\u00a0` : text;
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The one live region; it must exist before it speaks. */
export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div aria-live="polite" role="status" className="sr-only">
      {text}
    </div>
  );
}
