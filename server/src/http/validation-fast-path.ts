import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Keyring } from '../features/access-keys/index.ts';
import { type Validator, type Verdict, verdictAnswer } from '../features/validation/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { errorBody } from '../kernel/errors.ts';
import { repeatedHeader } from './credentials.ts';
import { toKeywardError } from './error-answers.ts';
import type { FastHistogram } from './fast-histogram.ts';
import type { FastPath } from './node-server.ts';
import type { Overload } from './overload.ts';

const PREFIX = '/api-keys/auth/';
/** How the log names these calls: the value is not in it. */
const CALL = { method: 'POST', url: '/api-keys/auth/***' };
const PLAIN_VALUE = /^[A-Za-z0-9._~-]{8,256}$/;

/**
 * `POST /api-keys/auth/{key}` in its ordinary form, answered before Fastify's router sees it: a
 * plain value in the path, one access key that memory holds, no body. Whatever is unusual about a
 * request sends it the long way, to the same route in features/validation, which answers every
 * case: this function never refuses anything by itself.
 */
export function createValidationFastPath(parts: {
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

  // Asked once: a line for each validation is for finding faults, not for every day.
  const isTalkative = log.isLevelEnabled?.('debug') ?? false;

  function send(response: ServerResponse, verdict: Verdict, startedAt: number): void {
    const requestId = verdict.kind === 'valid' ? '' : nextRequestId();
    const answer = verdictAnswer(verdict, requestId, clock());
    response.writeHead(answer.status, answer.headers as string[]);
    response.end(answer.body, answer.encoding ?? 'utf8');
    times.observe(performance.now() - startedAt);
    if (isTalkative) log.debug({ ...(requestId && { requestId }), ...CALL, status: answer.status });
  }

  function fail(response: ServerResponse, error: unknown): void {
    const requestId = nextRequestId();
    const { code, status, headers } = toKeywardError(error, log.child({ requestId }));
    const body = JSON.stringify(errorBody(code, requestId));
    response.writeHead(status, ['content-type', 'application/json; charset=utf-8', ...headers]);
    response.end(body);
  }

  return (request, response) => {
    const url = request.url!;
    if (request.method !== 'POST' || !url.startsWith(PREFIX)) return false;
    const value = url.slice(PREFIX.length);
    const { headers } = request;
    const credential = headers['x-api-key'];
    if (
      typeof credential !== 'string' ||
      headers.host === undefined ||
      overload.shedding ||
      !isInTouch() ||
      !PLAIN_VALUE.test(value) ||
      hasBody(headers) ||
      repeatedHeader(request.rawHeaders) !== undefined
    )
      return false;
    const accessKey = keyring.held(credential);
    const now = clock();
    if (accessKey === undefined || !accessKey.mayValidate || accessKey.refusal(now) !== null)
      return false;
    const startedAt = performance.now();
    const origin = headers['x-origin-domain'] as string | undefined;
    try {
      const verdict = validator.validate(accessKey, value, origin);
      if (verdict instanceof Promise)
        verdict
          .then((late) => send(response, late, startedAt))
          .catch((error: unknown) => fail(response, error));
      else send(response, verdict, startedAt);
    } catch (error) {
      fail(response, error);
    }
    return true;
  };
}

const hasBody = (headers: IncomingMessage['headers']): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');
