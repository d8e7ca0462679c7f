import { useSyncExternalStore } from 'react';

const STEP_MS = 15_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  now = Date.now();
  for (const notify of listeners) notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    // The timer was stopped, so the time may be old.
    now = Date.now();
    timer = setInterval(tick, STEP_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time, updated every 15 seconds by one timer for the whole page. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
