import { parentPort } from 'node:worker_threads';
import { type Reply, type Request, type SavepointCommand, toFailure } from './messages.ts';

type Handler = (request: Request | SavepointCommand) => Reply | undefined;

/**
 * Runs a storage thread. It opens its connection and sends one reply with the outcome. After that
 * each message contains requests in order, and one message returns the replies, in the same order.
 */
export function serveRequests(open: () => Handler): void {
  const port = parentPort;
  if (!port) throw new Error('This file is the body of a storage thread.');
  let handle: Handler | undefined;
  port.postMessage([
    attempt(() => {
      handle = open();
      return {};
    }),
  ]);
  port.on('message', (requests: (Request | SavepointCommand)[]) => {
    const replies: Reply[] = [];
    for (const request of requests) {
      const reply = attempt(() => handle?.(request));
      if (reply) replies.push(reply);
    }
    if (replies.length > 0) port.postMessage(replies);
    if (requests.at(-1)?.kind === 'close') port.close();
  });
}

function attempt(run: () => Reply | undefined): Reply | undefined {
  try {
    return run();
  } catch (error) {
    return { failure: toFailure(error) };
  }
}
