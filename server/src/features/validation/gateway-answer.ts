import { type ErrorBody, type ErrorCode, reasonOf } from '../../kernel/errors.ts';
import type { Answer } from '../../kernel/route.ts';
import type { ValidatedKey } from '../api-keys/index.ts';
import { rateLimitHeaders } from '../rate-limits/index.ts';
import { headerJson, headerText } from './header-text.ts';
import type { PreparedKey } from './prepared-key.ts';
import type { Verdict } from './validator.ts';

/** What a gateway wants to be answered, where it can pass only some statuses on. */
export interface GatewayStatuses {
  readonly invalid: number;
  readonly limited: number;
}

/** Metadata beyond this stays out of the headers: gateways have 4 to 16 KB for all of them. */
const METADATA_BYTES_MAX = 4096;

/**
 * What a sub-request of a gateway is answered. All that it needs is in headers, which is what such
 * gateways can read; `x-keyward-status` and `x-keyward-code` say what it truly was.
 */
export function gatewayAnswer(
  verdict: Verdict | 'key_missing',
  statuses: GatewayStatuses,
  errorBody: (code: ErrorCode) => ErrorBody,
  now: number,
): Answer {
  if (verdict === 'key_missing') return refusal(verdict, 401, statuses.invalid, errorBody);
  if (verdict.kind === 'refused') {
    return verdict.code === 'domain_denied'
      ? refusal(verdict.code, 403, 403, errorBody)
      : refusal(verdict.code, 401, statuses.invalid, errorBody);
  }
  const limits =
    verdict.taken === null ? [] : rateLimitHeaders(verdict.key.rateLimit, verdict.taken, now);
  if (verdict.kind === 'limited') {
    const answer = refusal('rate_limited', 429, statuses.limited, errorBody);
    return { ...answer, headers: [...answer.headers, ...limits] };
  }
  const { body, encoding } = verdict.key;
  return { status: 200, headers: [...keyHeaders(verdict.key), ...limits], body, encoding };
}

/** Sent although empty: Caddy copies the name of a header that is not there in place of its value. */
function keyHeaders(key: PreparedKey): string[] {
  const record = JSON.parse(key.body) as ValidatedKey;
  const metadata = headerJson(record.customMetaData);
  const fits = metadata.length <= METADATA_BYTES_MAX;
  return [
    ...['content-type', 'application/json; charset=utf-8', 'content-length', String(key.bodyBytes)],
    ...['x-keyward-status', '200', 'x-keyward-code', 'valid'],
    ...['x-keyward-key-id', record.id, 'x-keyward-project-id', record.projectId],
    ...['x-keyward-name', headerText(record.name), 'x-keyward-env', record.env],
    ...['x-keyward-account-id', headerText(record.customAccountId ?? '')],
    ...['x-keyward-user-id', headerText(record.customUserId ?? '')],
    ...['x-keyward-metadata', fits ? metadata : ''],
    ...(fits ? [] : ['x-keyward-metadata-omitted', 'true']),
  ];
}

function refusal(
  code: ErrorCode,
  meant: number,
  status: number,
  errorBody: (code: ErrorCode) => ErrorBody,
): Answer {
  const body = JSON.stringify({
    ...errorBody(code),
    statusCode: status,
    error: reasonOf(status),
  });
  return {
    status,
    headers: [
      ...['content-type', 'application/json; charset=utf-8'],
      ...['x-keyward-status', String(meant), 'x-keyward-code', code],
      ...(status === 401 ? ['WWW-Authenticate', 'Bearer'] : []),
    ],
    body,
  };
}
