import { createStore } from '../../hooks/create-store.ts';

const message = createStore('');

/** Announces a text to screen readers. */
export function announce(text: string): void {
  // Screen readers ignore a text that did not change, so a repeated one gets a trailing space.
  message.set(message.get() === text ? `${text}\u00a0` : text);
}

/** The live region. It must exist before the first announcement. */
export function Announcer() {
  const text = message.use();
  return (
    <div aria-live="polite" role="status" className="sr-only">
      {text}
    </div>
  );
}
