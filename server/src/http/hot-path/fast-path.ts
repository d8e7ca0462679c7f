import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Keyring } from '../../features/access-keys/index.ts';
import { rateLimitLines } from '../../features/rate-limits/index.ts';
import {
  answerBatch,
  type Validator,
  type Verdict,
  verdictAnswer,
} from '../../features/validation/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { errorBody } from '../../kernel/errors.ts';
import type { Answer } from '../../kernel/route.ts';
import { toKeywardError } from '../error-answers.ts';
import { KEEP_ALIVE_MS } from '../node-server.ts';
import type { Overload } from '../overload.ts';
import type { FastHistogram } from './fast-histogram.ts';
import { type Asked, keysInBody } from './keys-in-body.ts';
import { plainHeaders } from './plain-headers.ts';
import { AnswerWriter } from './write-answer.ts';

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
  const writer = new AnswerWriter(KEEP_ALIVE_MS);

  // Asked once: a line for each validation is for finding faults, not for every day.
  const isTalkative = log.isLevelEnabled?.('debug') ?? false;

  function sendVerdict(response: ServerResponse, verdict: Verdict, startedAt: number): void {
    const now = clock();
    if (verdict.kind === 'valid') {
      const { key, taken } = verdict;
      const lines = taken === null ? '' : rateLimitLines(key.rateLimit, taken, now);
      if (writer.accept(response, lines, key, now)) {
        told(200, startedAt);
        return;
      }
    }
    const requestId = verdict.kind === 'valid' ? '' : nextRequestId();
    const answer = verdictAnswer(verdict, requestId, now);
    writer.write(response, answer, now);
    told(answer.status, startedAt, requestId);
  }

  function sendBatch(response: ServerResponse, answer: Answer, startedAt: number): void {
    writer.write(response, answer, clock());
    told(answer.status, startedAt);
  }

  function told(status: number, startedAt: number, requestId = ''): void {
    times.observe(performance.now() - startedAt);
    if (isTalkative) log.debug({ ...(requestId && { requestId }), ...CALL, status });
  }

  function fail(response: ServerResponse, error: unknown): void {
    const requestId = nextRequestId();
    const { code, status, headers } = toKeywardError(error, log.child({ requestId }));
    const body = JSON.stringify(errorBody(code, requestId));
    response.writeHead(status, ['content-type', 'application/json; charset=utf-8', ...headers]);
    response.end(body);
  }

  /** False: there is something about it that the long way must look at. */
  function answers(
    request: IncomingMessage,
    response: ServerResponse,
    asked: Asked,
    isFromBody: boolean,
  ): boolean {
    const headers = plainHeaders(request.rawHeaders);
    if (headers === null || !headers.hasHost || overload.shedding || !isInTouch()) return false;
    if (headers.hasBody && !isFromBody) return false;
    const accessKey = keyring.held(headers.credential);
    if (accessKey === undefined || !accessKey.mayValidate || accessKey.refusal(clock()) !== null)
      return false;
    const { origin } = headers;
    const startedAt = performance.now();
    try {
      if (typeof asked === 'string') {
        const verdict = validator.validate(accessKey, asked, origin);
        if (verdict instanceof Promise) late(response, verdict, startedAt, sendVerdict);
        else sendVerdict(response, verdict, startedAt);
      } else {
        const answer = answerBatch({ validator, clock, asker: accessKey, keys: asked, origin });
        if (answer instanceof Promise) late(response, answer, startedAt, sendBatch);
        else sendBatch(response, answer, startedAt);
      }
    } catch (error) {
      fail(response, error);
    }
    return true;
  }

  function late<T>(
    response: ServerResponse,
    found: Promise<T>,
    startedAt: number,
    send: (response: ServerResponse, found: T, startedAt: number) => void,
  ): void {
    found
      .then((what) => send(response, what, startedAt))
      .catch((error: unknown) => fail(response, error));
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
        (asked) => answers(request, response, asked, true),
        () => otherwise(request, response),
      );
      return;
    }
    const value = url.slice(IN_PATH.length);
    const isPlain = url.startsWith(IN_PATH) && PLAIN_VALUE.test(value);
    if (!isPlain || !answers(request, response, value, false)) otherwise(request, response);
  };
}
