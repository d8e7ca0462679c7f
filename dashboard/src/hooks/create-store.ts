import { useSyncExternalStore } from 'react';

/** A value outside of React. Components that read it with `use` render again when it changes. */
export function createStore<Value>(value: Value) {
  const listeners = new Set<() => void>();
  const get = (): Value => value;
  const set = (next: Value): void => {
    value = next;
    for (const notify of listeners) notify();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return { get, set, use: (): Value => useSyncExternalStore(subscribe, get) };
}
