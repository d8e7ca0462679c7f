import { ERRORS, errorBody } from '../../kernel/errors.ts';
import type { Answer } from '../../kernel/route.ts';
import { rateLimitHeaders } from '../rate-limits/index.ts';
import type { Verdict } from './validator.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What a validation answers, whichever way it came in. */
export function verdictAnswer(verdict: Verdict, requestId: string, now: number): Answer {
  if (verdict.kind === 'valid') {
    const headers = commonHeaders(verdict.key.contentLength);
    if (verdict.taken !== null)
      headers.push(...rateLimitHeaders(verdict.key.rateLimit, verdict.taken, now));
    const { body, encoding } = verdict.key;
    return { status: 200, headers, body, encoding };
  }
  const code = verdict.kind === 'limited' ? 'rate_limited' : verdict.code;
  const body = JSON.stringify(errorBody(code, requestId));
  const headers = commonHeaders(String(Buffer.byteLength(body)));
  headers.push('x-request-id', requestId);
  if (verdict.kind === 'limited')
    headers.push(...rateLimitHeaders(verdict.key.rateLimit, verdict.taken, now));
  return { status: ERRORS[code][0], headers, body, encoding: 'latin1' };
}

const commonHeaders = (contentLength: string): string[] => [
  'content-type',
  JSON_TYPE,
  'content-length',
  contentLength,
  'cache-control',
  'no-store',
];
