import { ERRORS, type ErrorCode, errorBody } from '../../kernel/errors.ts';
import type { Answer } from '../../kernel/route.ts';
import { rateLimitHeaders } from '../rate-limits/index.ts';
import { bodyHeaders } from './body-headers.ts';
import type { Verdict } from './validator.ts';

/** What a validation answers, whichever way it came in. */
export function verdictAnswer(verdict: Verdict, requestId: string, now: number): Answer {
  if (verdict.kind === 'valid') {
    const headers = bodyHeaders(verdict.key.bodyBytes);
    if (verdict.taken !== null)
      headers.push(...rateLimitHeaders(verdict.key.rateLimit, verdict.taken, now));
    const { body, encoding } = verdict.key;
    return { status: 200, headers, body, encoding };
  }
  const code = verdict.kind === 'limited' ? 'rate_limited' : verdict.code;
  const body = refusalText(code) + requestId + REFUSAL_END;
  const headers = bodyHeaders(body.length);
  headers.push('x-request-id', requestId);
  if (verdict.kind === 'limited')
    headers.push(...rateLimitHeaders(verdict.key.rateLimit, verdict.taken, now));
  return { status: ERRORS[code][0], headers, body, encoding: 'latin1' };
}

/** What a refusal says up to the id of its request, written once. All of it is ASCII. */
const refusalTexts = new Map<ErrorCode, string>();
const REFUSAL_END = '"}';

function refusalText(code: ErrorCode): string {
  let text = refusalTexts.get(code);
  if (text === undefined) {
    text = JSON.stringify(errorBody(code, '')).slice(0, -REFUSAL_END.length);
    refusalTexts.set(code, text);
  }
  return text;
}
