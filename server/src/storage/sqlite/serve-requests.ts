import { parentPort } from 'node:worker_threads';
import { largeBlocksOf } from './large-blocks.ts';
import { type Sent, StatementTexts } from './statement-numbers.ts';
import { type Answer, type Bound, type Request, toFailure } from './wire.ts';

type Handler = (request: Request | Bound) => Answer | undefined;

/**
 * The life of a storage thread. It opens its connection and answers once to say how that went;
 * then each message holds requests in order, and one message goes back with the answers to those
 * of them that have one.
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
  const texts = new StatementTexts();
  port.on('message', (requests: (Sent | Bound)[]) => {
    const answers: Answer[] = [];
    for (const request of requests) {
      const answer = attempt(() => handle?.(texts.whole(request)));
      if (answer) answers.push(answer);
    }
    if (answers.length > 0) port.postMessage(answers, largeBlocksOf(answers));
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
