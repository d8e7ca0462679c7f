import type { ChangeBus, ChangeListener } from './change-bus.ts';

const NOBODY_ELSE = Promise.resolve();

/** The bus of a single node: whoever listens has heard when `publish` returns. */
export function createMemoryChangeBus(): ChangeBus {
  const listeners: ChangeListener[] = [];
  return {
    announce: () => NOBODY_ELSE,
    publish(changes) {
      for (const listener of listeners) listener(changes);
    },
    subscribe(listener) {
      listeners.push(listener);
    },
    isInTouch: () => true,
    behindMs: 0,
  };
}
