import type { ChangeBus, ChangeListener } from './change-bus.ts';

/** The bus of a single node: whoever listens has heard when `publish` returns. */
export function createMemoryChangeBus(): ChangeBus {
  const listeners: ChangeListener[] = [];
  return {
    publish(changes) {
      for (const listener of listeners) listener(changes);
    },
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}
