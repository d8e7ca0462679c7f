import type { ServerResponse } from 'node:http';

const callbacks = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Calls `onDone` when the response has been handed to the kernel or its connection is gone. All callbacks share a
 * listener: with one for each, Node would warn of a leak.
 */
export function onResponseEnd(response: ServerResponse, onDone: () => void): void {
  const known = callbacks.get(response);
  if (response.closed || response.destroyed) onDone();
  else if (known !== undefined) known.push(onDone);
  else {
    const all = [onDone];
    callbacks.set(response, all);
    response.once('close', () => {
      for (const each of all) each();
    });
  }
}
