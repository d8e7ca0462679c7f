import type { Conditions } from '@keyward/rules/check-key.ts';
import { REFUSALS } from '@keyward/rules/outcomes.ts';
import { both, type Requirement } from '@keyward/rules/permissions.ts';
import type { Static } from 'typebox';
import { type ErrorBody, type ErrorCode, reasonOf } from '../../kernel/errors.ts';
import type { Call, RouteResponse } from '../../kernel/route.ts';
import type { ValidatedKey } from '../api-keys/index.ts';
import { headerList } from '../rate-limits/index.ts';
import { type ClientIPHeader, sameAddress } from './client-ip.ts';
import type { Verdict } from './verdict.ts';
import { conditionsInQuery, requirementOf } from './wire/conditions.ts';
import { limitLines, recordOf } from './wire/limit-report.ts';
import type { GatewayQuery } from './wire/request-schema.ts';
import { codeOf, messageOf } from './wire/responses.ts';

/**
 * Header of the gateway's own credential. It is a separate one, so that the gateway can pass on its user's
 * headers.
 */
export const GATEWAY_CREDENTIAL = 'x-keyward-access-key';

/** The statuses that the gateway requests for refusals: some gateways can pass on only a few. */
export interface GatewayStatuses {
  readonly invalid: number;
  readonly limited: number;
}

/** Larger metadata is left out of the headers: gateways accept 4 to 16 KB for all of them. */
const METADATA_BYTES_MAX = 4096;

/** Reads a gateway's sub-request. `value` is '' if the request has no key. */
export function gatewayRequest(
  call: Pick<Call, 'headers' | 'peer'>,
  query: Static<typeof GatewayQuery>,
  clientIPHeader: ClientIPHeader | null,
): { value: string; conditions: Conditions; statuses: GatewayStatuses } {
  const value = keyInHeaders(call.headers);
  const inQuery = conditionsInQuery(call, query, 1);
  const inHeader = permissionsInHeader(call.headers);
  const ipInHeader = clientIPHeader?.read(call.headers, call.peer) ?? null;
  const conditions = {
    ...inQuery,
    requirement: both(inQuery.requirement, inHeader),
    clientIP: sameAddress(inQuery.clientIP, ipInHeader),
  };
  const { invalid, limited } = query as { invalid?: string; limited?: string };
  const statuses = { invalid: Number(invalid ?? 401), limited: Number(limited ?? 429) };
  return { value, conditions, statuses };
}

/**
 * The key of the gateway's user; '' if there is none. `x-keyward-key` wins, even when it is empty. The user's
 * headers are read only if the gateway's credential is in its own header: otherwise they could contain that
 * credential.
 */
function keyInHeaders(headers: Call['headers']): string {
  const named = headers['x-keyward-key'];
  if (named !== undefined) return withoutScheme(named);
  if (headers[GATEWAY_CREDENTIAL] === undefined) return '';
  return withoutScheme(headers['x-api-key'] ?? headers.authorization ?? '');
}

/**
 * Permissions that the key must have besides those in the query, separated by commas. If the gateway passes
 * this header on, its client can require more permissions of the key, but not fewer.
 */
function permissionsInHeader(headers: Call['headers']): Requirement | null {
  const header = headers['x-keyward-permission'];
  if (header === undefined) return null;
  return requirementOf(
    String(header)
      .split(',')
      .map((name) => name.trim()),
    'invalid_header',
  );
}

function withoutScheme(header: string | string[]): string {
  const text = String(header).trim();
  return /^bearer\s/i.test(text) ? text.slice(7).trim() : text;
}

/**
 * The response to a gateway's sub-request. What gateways use is in headers, because they cannot read
 * the body; `x-keyward-status` and `x-keyward-code` give the result whatever status was requested.
 */
export function gatewayResponse(
  verdict: Verdict | 'key_missing',
  statuses: GatewayStatuses,
  errorBody: (code: ErrorCode, message?: string) => ErrorBody,
  now: number,
): RouteResponse {
  if (verdict === 'key_missing') return refusal(verdict, 401, statuses.invalid, errorBody);
  if (verdict.kind === 'refused') {
    return REFUSALS[verdict.code].status === 403
      ? refusal(verdict.code, 403, 403, errorBody)
      : refusal(verdict.code, 401, statuses.invalid, errorBody);
  }
  const limits = headerList(limitLines(verdict, now));
  if (verdict.kind !== 'valid') {
    const withMessage = (code: ErrorCode) => errorBody(code, messageOf(verdict));
    const response = refusal(codeOf(verdict), 429, statuses.limited, withMessage);
    return { ...response, headers: [...response.headers, ...limits] };
  }
  const { body, bodyBytes, encoding } = recordOf(verdict);
  return { status: 200, headers: [...keyHeaders(body, bodyBytes), ...limits], body, encoding };
}

/** Headers are sent even if they are empty: if one is missing, Caddy copies its name in place of a value. */
function keyHeaders(body: string, bytes: number): string[] {
  const record = JSON.parse(body) as ValidatedKey;
  const metadata = headerJson(record.customMetaData);
  const fits = metadata.length <= METADATA_BYTES_MAX;
  return [
    ...['content-type', 'application/json; charset=utf-8', 'content-length', String(bytes)],
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
  actualStatus: number,
  status: number,
  errorBody: (code: ErrorCode) => ErrorBody,
): RouteResponse {
  const body = JSON.stringify({
    ...errorBody(code),
    statusCode: status,
    error: reasonOf(status),
  });
  return {
    status,
    headers: [
      ...['content-type', 'application/json; charset=utf-8'],
      ...['x-keyward-status', String(actualStatus), 'x-keyward-code', code],
      ...(status === 401 ? ['WWW-Authenticate', 'Bearer'] : []),
    ],
    body,
  };
}

/**
 * Encodes text for a header: printable ASCII is unchanged, everything else and `%` is percent-encoded,
 * so that `decodeURIComponent` restores the text and no line break gets through. A space at either
 * end is encoded too, since HTTP trims header values.
 */
export const headerText = (text: string): string =>
  text.toWellFormed().replace(/^ | $|%|[^ -~]/gu, encodeURIComponent);

/** JSON in ASCII: other characters are written as JSON escapes. */
export const headerJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
