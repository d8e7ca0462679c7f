import { ERRORS, type ErrorCode, type WriteErrorBody } from '../../kernel/errors.ts';
import type { RouteResponse } from '../../kernel/route.ts';
import { rateLimitHeaders } from '../rate-limits/index.ts';
import { bodyHeaders } from './body-headers.ts';
import type { Verdict } from './validator.ts';

type Acceptance = Extract<Verdict, { kind: 'valid' }>;
type Refusal = Exclude<Verdict, Acceptance>;

export function acceptanceResponse({ key, taken }: Acceptance, now: number): RouteResponse {
  const headers = bodyHeaders(key.bodyBytes);
  if (taken !== null) headers.push(...rateLimitHeaders(key.rateLimit, taken, now));
  return { status: 200, headers, body: key.body, encoding: key.encoding };
}

const REFUSAL_END = '"}';

/** Renders refusals. The text before the request id depends only on the code and is rendered once. */
export class RefusalResponses {
  readonly #errorBody: WriteErrorBody;
  readonly #texts = new Map<ErrorCode, string>();

  constructor(errorBody: WriteErrorBody) {
    this.#errorBody = errorBody;
  }

  of(refusal: Refusal, requestId: string, now: number): RouteResponse {
    const code = refusal.kind === 'limited' ? 'rate_limited' : refusal.code;
    // ASCII only, so its length is its size in bytes.
    const missing = refusal.kind === 'refused' ? refusal.missing : undefined;
    const end = missing ? `","missing":${JSON.stringify(missing)}}` : REFUSAL_END;
    const body = this.#textOf(code) + requestId + end;
    const headers = bodyHeaders(body.length);
    headers.push('x-request-id', requestId);
    if (refusal.kind === 'limited')
      headers.push(...rateLimitHeaders(refusal.key.rateLimit, refusal.taken, now));
    return { status: ERRORS[code][0], headers, body, encoding: 'latin1' };
  }

  #textOf(code: ErrorCode): string {
    let text = this.#texts.get(code);
    if (text === undefined) {
      text = JSON.stringify(this.#errorBody(code, '')).slice(0, -REFUSAL_END.length);
      this.#texts.set(code, text);
    }
    return text;
  }
}
