import type { ServerResponse } from 'node:http';

/** Calls `onDone` when the response has been handed to the kernel or its connection is gone. */
export function onResponseEnd(response: ServerResponse, onDone: () => void): void {
  if (response.closed || response.destroyed) onDone();
  else response.once('close', onDone);
}
