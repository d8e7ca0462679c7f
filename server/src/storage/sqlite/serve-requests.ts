import { parentPort } from 'node:worker_threads';
import { type Answer, type Bound, type Request, toFailure } from './messages.ts';

type Handler = (request: Request | Bound) => Answer | undefined;

/**
 * Runs a storage thread. It opens its connection and sends one answer with the outcome. After that
 * each message contains requests in order, and one message returns the answers, in the same order.
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
  port.on('message', (requests: (Request | Bound)[]) => {
    const answers: Answer[] = [];
    for (const request of requests) {
      const answer = attempt(() => handle?.(request));
      if (answer) answers.push(answer);
    }
    if (answers.length > 0) port.postMessage(answers);
    if (requests.at(-1)?.kind === 'close') port.close();
  });
}

function attempt(run: () => Answer | undefined): Answer | undefined {
  try {
    return run();
  } catch (error) {
    return { failure: toFailure(error) };
  }
}
