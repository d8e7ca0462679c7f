import { refusalFields } from '../../features/validation/index.ts';
import { ERRORS, type ErrorCode, reasonOf } from '../../kernel/errors.ts';
import type { Route } from '../../kernel/route.ts';
import { type Components, componentName, type Json } from './components.ts';

const CREDENTIAL_CODES: readonly ErrorCode[] = [
  'invalid_header',
  'credential_missing',
  'credential_invalid',
];

const SERVER_CODES: readonly ErrorCode[] = [
  'internal_error',
  'overloaded',
  'query_too_slow',
  'node_isolated',
  'storage_full',
  'storage_unavailable',
  'too_many_database_connections',
];

/** Codes that any route with a scope may return. */
const SCOPE_CODES: readonly ErrorCode[] = [
  ...CREDENTIAL_CODES,
  'credential_revoked',
  'credential_expired',
  'scope_missing',
  'session_invalid',
  'account_required',
  'account_not_found',
  ...SERVER_CODES,
];

/** Codes that any route may return if only people may call it. */
const PERSON_CODES: readonly ErrorCode[] = [
  ...CREDENTIAL_CODES,
  'credential_revoked',
  'credential_expired',
  'session_invalid',
  'people_only',
  ...SERVER_CODES,
];

/** Codes that any route for customers may return. */
const PORTAL_CODES: readonly ErrorCode[] = [
  ...CREDENTIAL_CODES,
  'session_invalid',
  'scope_missing',
  'origin_denied',
  ...SERVER_CODES,
];

/** Codes of public routes that must be called from our own pages. */
const FROM_PAGES: readonly ErrorCode[] = [
  'origin_denied',
  'overloaded',
  'storage_full',
  'storage_unavailable',
  'too_many_database_connections',
];

const GENERAL_CODES: ReadonlySet<ErrorCode> = new Set([
  ...SCOPE_CODES,
  ...PERSON_CODES,
  ...PORTAL_CODES,
  'management_rate_limited',
]);

/** The error responses of a route by status, each a component that is named by its codes. */
export function errorResponses(route: Route, components: Components): Json {
  const failures = [...codesOf(route)].flatMap((code) =>
    (route.statuses?.[code] ?? [ERRORS[code][0]]).map((status) => ({ code, status })),
  );
  const schema = components.schema(ERROR_SCHEMA);
  const byStatus = Map.groupBy(failures, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, of]) => {
        const codes = of.map(({ code }) => code).sort(inOrder);
        const response = {
          description: `${reasonOf(status)}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
          'x-keyward-codes': codes,
          content: { 'application/json': { schema } },
        };
        return [status, components.refer('responses', nameOf(codes), response)];
      }),
  );
}

function codesOf(route: Route): ReadonlySet<ErrorCode> {
  const codes: ErrorCode[] = [...(route.errors ?? []), ...sharedCodes(route.access)];
  codes.push('invalid_query');
  if (route.params) codes.push('invalid_path');
  if (route.list) codes.push('invalid_cursor');
  if (route.body)
    codes.push('invalid_body', 'invalid_json', 'body_too_large', 'unsupported_media_type');
  if (route.creates) codes.push('idempotency_in_flight', 'idempotency_mismatch');
  if (route.updates) codes.push('invalid_header', 'edit_conflict');
  if (route.fromPages) codes.push(...FROM_PAGES);
  if (route.access !== 'public' && route.method !== 'GET') codes.push('origin_denied');
  if (route.access !== 'public' && !route.unmetered) codes.push('management_rate_limited');
  return new Set(codes);
}

function sharedCodes(access: Route['access']): readonly ErrorCode[] {
  if (access === 'public') return ['invalid_header', 'internal_error'];
  if (access === 'person') return PERSON_CODES;
  return access === 'portal' ? PORTAL_CODES : SCOPE_CODES;
}

/** Codes of single operations come before the general ones. A fixed order, so that equal sets share a response. */
const ORDER: readonly ErrorCode[] = [
  ...(Object.keys(ERRORS) as ErrorCode[]).filter((code) => !GENERAL_CODES.has(code)),
  ...GENERAL_CODES,
];

const inOrder = (a: ErrorCode, b: ErrorCode): number => ORDER.indexOf(a) - ORDER.indexOf(b);

/** Codes with the same first word share it: `InvalidBodyJsonOrAccountRequired`. */
function nameOf(codes: readonly ErrorCode[]): string {
  const byFirstWord = Map.groupBy(codes, (code) => code.split('_')[0]!);
  return [...byFirstWord]
    .map(([first, of]) =>
      componentName([first, ...of.map((code) => code.slice(first.length))].join('_')),
    )
    .join('Or');
}

const ERROR_SCHEMA: Json = {
  title: 'Error',
  type: 'object',
  required: ['statusCode', 'message', 'error', 'code', 'docs', 'requestId'],
  properties: {
    statusCode: { type: 'integer' },
    message: {
      type: 'string',
      description: 'A message for people. Names the invalid field, if any.',
    },
    error: { type: 'string', description: 'The name of the HTTP status.' },
    code: {
      type: 'string',
      enum: Object.keys(ERRORS),
      description: 'A stable error code, documented on its own page.',
    },
    docs: { type: 'string', format: 'uri', description: 'The URL of the page about this code.' },
    requestId: {
      type: 'string',
      description:
        'The id of the request in the server log. Validations are logged at level `debug` only.',
    },
    ...refusalFields,
  },
};
