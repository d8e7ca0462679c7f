import { REFUSALS, type RefusalCode } from '@keyward/rules/outcomes.ts';
import type { ErrorCode, WriteErrorBody } from '../../../kernel/errors.ts';
import type { RouteResponse } from '../../../kernel/route.ts';
import { headerList } from '../../rate-limits/index.ts';
import type { Verdict } from '../verdict.ts';
import { bodyHeaders } from './body-headers.ts';
import {
  creditsField,
  limitLines,
  rateLimitField,
  recordOf,
  refusedFields,
} from './limit-report.ts';

type Acceptance = Extract<Verdict, { kind: 'valid' }>;
type Refusal = Exclude<Verdict, Acceptance>;

export function acceptanceResponse(acceptance: Acceptance, now: number): RouteResponse {
  const { body, bodyBytes, encoding } = recordOf(acceptance);
  const headers = bodyHeaders(bodyBytes);
  headers.push(...headerList(limitLines(acceptance, now)));
  return { status: 200, headers, body, encoding };
}

const REFUSAL_END = '"}';

const NEVER_FITS =
  'The cost of this request is larger than a limit of the key allows in a whole window, so it can never succeed. Send a smaller cost, or raise the limit.';

/** Renders refusals. The text before the request id depends only on the message and is rendered once. */
export class RefusalResponses {
  readonly #errorBody: WriteErrorBody;
  readonly #texts = new Map<string, string>();

  constructor(errorBody: WriteErrorBody) {
    this.#errorBody = errorBody;
  }

  of(refusal: Refusal, requestId: string, now: number): RouteResponse {
    const code = codeOf(refusal);
    // ASCII only, so its length is its size in bytes.
    const body = `${this.#textOf(code, messageOf(refusal))}${requestId}"${fieldsOf(refusal)}}`;
    const headers = bodyHeaders(body.length);
    headers.push('x-request-id', requestId);
    if (refusal.kind !== 'refused') headers.push(...headerList(limitLines(refusal, now)));
    return { status: REFUSALS[code].status, headers, body, encoding: 'latin1' };
  }

  #textOf(code: ErrorCode, message: string | undefined): string {
    const name = message ?? code;
    let text = this.#texts.get(name);
    if (text === undefined) {
      text = JSON.stringify(this.#errorBody(code, '', message)).slice(0, -REFUSAL_END.length);
      this.#texts.set(name, text);
    }
    return text;
  }
}

export function codeOf(refusal: Refusal): RefusalCode {
  if (refusal.kind === 'limited') return 'rate_limited';
  return refusal.kind === 'exhausted' ? 'credits_exhausted' : refusal.code;
}

/** Undefined: the usual message of the code. */
export const messageOf = (refusal: Refusal): string | undefined =>
  refusal.kind === 'limited' && refusal.neverFits ? NEVER_FITS : undefined;

/** The fields of a refusal beside its code, as further fields of a JSON object. */
function fieldsOf(refusal: Refusal): string {
  if (refusal.kind === 'limited') return refusedFields(refusal);
  if (refusal.kind === 'exhausted') return creditsField(refusal.credits);
  return refusal.missing ? `,"missing":${JSON.stringify(refusal.missing)}` : '';
}

/** One result of a batch as JSON. The record is rendered already. */
export function resultText(verdict: Verdict, now: number): string {
  const rateLimit = verdict.kind === 'refused' ? '' : rateLimitField(verdict, now);
  if (verdict.kind === 'valid')
    return `{"valid":true,"statusCode":200,"code":"valid","record":${recordOf(verdict).body}${rateLimit}}`;
  const code = codeOf(verdict);
  return `{"valid":false,"statusCode":${REFUSALS[code].status},"code":"${code}"${rateLimit}${fieldsOf(verdict)}}`;
}
