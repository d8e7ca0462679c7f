import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { HeldAccessKey, Keyring } from '../../features/access-keys/index.ts';
import {
  answerBatch,
  type Validator,
  type Verdict,
  verdictAnswer,
} from '../../features/validation/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { errorBody } from '../../kernel/errors.ts';
import type { Answer } from '../../kernel/route.ts';
import { repeatedHeader } from '../credentials.ts';
import { toKeywardError } from '../error-answers.ts';
import { KEEP_ALIVE_MS } from '../node-server.ts';
import type { Overload } from '../overload.ts';
import type { FastHistogram } from './fast-histogram.ts';
import { type Asked, keysInBody } from './keys-in-body.ts';
import { createAnswerWriter } from './write-answer.ts';

const IN_PATH = '/api-keys/auth/';
const IN_BODY = '/api-keys/auth';
/** How the log names these calls: the value is not in it. */
const CALL = { method: 'POST', url: '/api-keys/auth/***' };
const PLAIN_VALUE = /^[A-Za-z0-9._~-]{1,256}$/;

/** Answers ordinary validations, and leaves the rest to `otherwise`. */
export type FastPath = (otherwise: RequestListener) => RequestListener;

/**
 * `POST /api-keys/auth/{key}` and `POST /api-keys/auth {"key": …}` in their ordinary form, answered
 * before Fastify's router sees them: a plain value, one access key that memory holds. Whatever is
 * unusual about a request sends it the long way, to the same routes in features/validation, which
 * answer every case: nothing here refuses anything by itself. README.md tells what each trick gave.
 */
export function createFastPath(parts: {
  keyring: Keyring;
  validator: Validator;
  times: FastHistogram;
  overload: Overload;
  isInTouch: () => boolean;
  nextRequestId: () => string;
  clock: Clock;
  log: FastifyBaseLogger & { isLevelEnabled?(level: string): boolean };
}): FastPath {
  const { keyring, validator, times, overload, isInTouch, nextRequestId, clock, log } = parts;
  const write = createAnswerWriter(KEEP_ALIVE_MS);

  // Asked once: a line for each validation is for finding faults, not for every day.
  const isTalkative = log.isLevelEnabled?.('debug') ?? false;

  const answerOf = (verdict: Verdict): Answer =>
    verdictAnswer(verdict, verdict.kind === 'valid' ? '' : nextRequestId(), clock());

  function answerOne(
    asker: HeldAccessKey,
    value: string,
    origin: string | undefined,
  ): Answer | Promise<Answer> {
    const verdict = validator.validate(asker, value, origin);
    return verdict instanceof Promise ? verdict.then(answerOf) : answerOf(verdict);
  }

  function send(response: ServerResponse, answer: Answer, startedAt: number): void {
    write(response, answer, clock());
    times.observe(performance.now() - startedAt);
    if (isTalkative) log.debug({ ...requestIdOf(answer), ...CALL, status: answer.status });
  }

  function fail(response: ServerResponse, error: unknown): void {
    const requestId = nextRequestId();
    const { code, status, headers } = toKeywardError(error, log.child({ requestId }));
    const body = JSON.stringify(errorBody(code, requestId));
    response.writeHead(status, ['content-type', 'application/json; charset=utf-8', ...headers]);
    response.end(body);
  }

  /** False: there is something about it that the long way must look at. */
  function answers(request: IncomingMessage, response: ServerResponse, asked: Asked): boolean {
    const { headers } = request;
    const credential = headers['x-api-key'];
    if (
      typeof credential !== 'string' ||
      headers.host === undefined ||
      overload.shedding ||
      !isInTouch() ||
      repeatedHeader(request.rawHeaders) !== undefined
    )
      return false;
    const accessKey = keyring.held(credential);
    if (accessKey === undefined || !accessKey.mayValidate || accessKey.refusal(clock()) !== null)
      return false;
    const startedAt = performance.now();
    const origin = headers['x-origin-domain'] as string | undefined;
    try {
      const answer =
        typeof asked === 'string'
          ? answerOne(accessKey, asked, origin)
          : answerBatch({ validator, clock, asker: accessKey, keys: asked, origin });
      if (answer instanceof Promise)
        answer
          .then((late) => send(response, late, startedAt))
          .catch((error: unknown) => fail(response, error));
      else send(response, answer, startedAt);
    } catch (error) {
      fail(response, error);
    }
    return true;
  }

  return (otherwise) => (request, response) => {
    const url = request.url!;
    if (request.method !== 'POST' || !url.startsWith(IN_BODY)) {
      otherwise(request, response);
      return;
    }
    if (url === IN_BODY) {
      keysInBody(
        request,
        (asked) => answers(request, response, asked),
        () => otherwise(request, response),
      );
      return;
    }
    const value = url.slice(IN_PATH.length);
    const isPlain = url.startsWith(IN_PATH) && PLAIN_VALUE.test(value) && !hasBody(request.headers);
    if (!isPlain || !answers(request, response, value)) otherwise(request, response);
  };
}

/** Only refusals have one. */
function requestIdOf({ headers }: Answer): { requestId?: string } {
  const place = headers.indexOf('x-request-id');
  return place < 0 ? {} : { requestId: headers[place + 1]! };
}

const hasBody = (headers: IncomingMessage['headers']): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');
