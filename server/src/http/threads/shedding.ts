import type { IncomingMessage, RequestListener } from 'node:http';
import type { Overload } from '../overload.ts';
import { answerError } from './answer-error.ts';

/**
 * Refuses work while this thread has too much of it. Said here: the thread that would have to answer
 * instead has work of its own, and cannot see how this one is.
 */
export function createShedding(parts: {
  overload: Overload;
  nextRequestId: () => string;
  /** What this thread would have answered by itself. */
  isShed: (request: IncomingMessage) => boolean;
  otherwise: RequestListener;
}): RequestListener {
  const { overload, nextRequestId, isShed, otherwise } = parts;
  return (request, response) => {
    if (!overload.shedding || !isShed(request)) {
      otherwise(request, response);
      return;
    }
    overload.shed++;
    answerError(response, 'overloaded', nextRequestId(), { 'retry-after': '1' });
  };
}
