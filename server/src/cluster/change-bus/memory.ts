import type { ChangeBus, ChangeListener } from './change-bus.ts';

/** The bus of a single node: `publish` calls the listeners and returns. */
export function createMemoryChangeBus(): ChangeBus {
  const listeners: ChangeListener[] = [];
  return {
    announce: async () => {},
    publish(changes) {
      for (const listener of listeners) listener(changes);
    },
    subscribe(listener) {
      listeners.push(listener);
    },
    isUpToDate: () => true,
    behindMs: 0,
  };
}
