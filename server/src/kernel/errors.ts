import { nounOf, RESOURCES, type Resource } from '@keyward/rules/areas.ts';
import { REFUSAL_CODES, REFUSALS, type RefusalCode } from '@keyward/rules/outcomes.ts';

type Refusals = typeof REFUSALS;
type RefusalsWith<Status> = {
  readonly [Code in RefusalCode as Refusals[Code]['status'] extends Status
    ? Code
    : never]: readonly [Status, string];
};

/** The errors of validations that have this status. */
function refusals<Status extends Refusals[RefusalCode]['status']>(status: Status) {
  const codes = REFUSAL_CODES.filter((code) => REFUSALS[code].status === status);
  const errors = codes.map((code) => [code, [status, REFUSALS[code].message]]);
  return Object.fromEntries(errors) as RefusalsWith<Status>;
}

/** The error of keys is among the refusals. */
type NotFoundAs<R extends Resource> = R extends 'api-key'
  ? 'key_not_found'
  : R extends `${infer First}-${infer Second}`
    ? `${First}_${Second}_not_found`
    : `${R}_not_found`;
type NotFoundCode = Exclude<NotFoundAs<Resource>, 'key_not_found'>;

export const notFoundCode = <R extends Resource>(resource: R) =>
  (resource === 'api-key'
    ? 'key_not_found'
    : `${resource.replaceAll('-', '_')}_not_found`) as NotFoundAs<R>;

const NOT_FOUND: { readonly [Code in NotFoundCode]: readonly [404, string] } = Object.fromEntries(
  RESOURCES.filter((resource) => resource !== 'api-key').map((resource) => [
    notFoundCode(resource),
    [404, `There is no such ${nounOf(resource)}.`],
  ]),
) as never;

/**
 * Every error of the API: a stable code, its status, and the default message. Each code has a page in
 * docs/errors/; a test compares the two.
 */
export const ERRORS = {
  invalid_body: [400, 'The body is not valid.'],
  invalid_json: [400, 'The body is not valid JSON.'],
  invalid_query: [400, 'The query is not valid.'],
  invalid_path: [400, 'The path is not valid.'],
  invalid_header: [400, 'A header is not valid.'],
  invalid_request: [400, 'The request could not be read as HTTP.'],
  unit_not_declared: [400, 'The project does not declare a unit of this cost.'],
  query_too_large: [400, 'This query would read too many rows. Add a filter.'],
  invalid_cursor: [400, 'The cursor does not belong to this list.'],
  invalid_key_value: [400, 'This value cannot be used as a key.'],
  project_required: [400, 'Set projectId to choose a project.'],
  account_required: [400, 'Choose an account with the x-keyward-account header.'],
  password_weak: [400, 'Choose a longer or less common password.'],
  credential_missing: [401, 'Send an access key in the x-api-key header.'],
  credential_invalid: [401, 'This access key is unknown.'],
  credential_revoked: [401, 'This access key has been revoked.'],
  credential_expired: [401, 'This access key has expired.'],
  signature_invalid: [401, 'The signature of this message is missing or not valid.'],
  key_missing: [401, 'Send an API key.'],
  session_invalid: [401, 'This session has ended. Sign in again.'],
  sign_in_failed: [401, 'The email address or the password is wrong.'],
  second_factor_failed: [401, 'This code is wrong or was already used.'],
  second_factor_expired: [401, 'The time to enter the second factor has expired. Sign in again.'],
  passkey_failed: [401, 'This passkey could not be verified.'],
  scope_missing: [403, 'This credential lacks the scope for this request.'],
  level_too_low: [403, 'This request needs an account-level access key.'],
  grant_exceeds_own: [403, 'You cannot grant more access than you have.'],
  ...refusals(403),
  people_only: [403, 'Only signed-in users can do this. Use the dashboard.'],
  operator_only: [403, 'Only the operator can do this, with the CLI on the same machine.'],
  origin_denied: [403, 'This request did not come from the dashboard.'],
  confirmation_required: [
    403,
    'Confirm your identity with POST /auth/confirm, or sign in again: your last sign-in is more than five minutes old.',
  ],
  password_wrong: [403, 'The password is wrong.'],
  route_not_found: [404, 'There is no such path.'],
  edge_only_validates: [404, 'An edge only validates keys. Send this request to the server.'],
  ...refusals(404),
  ...NOT_FOUND,
  account_not_found: [404, 'There is no such account.'],
  plan_not_found: [404, 'There is no such plan in this project.'],
  user_not_found: [404, 'There is no such user in this account.'],
  session_not_found: [404, 'There is no such session.'],
  passkey_not_found: [404, 'There is no such passkey.'],
  provider_not_found: [404, 'This sign-in provider is not configured.'],
  link_invalid: [404, 'This link is unknown, already used, or expired.'],
  delivery_not_found: [404, 'There is no such delivery.'],
  portal_session_not_found: [404, 'There is no such portal session, or it has ended.'],
  replay_not_found: [404, 'There is no such replay.'],
  method_not_allowed: [405, 'This path does not support this method.'],
  request_timeout: [408, 'The request took too long to arrive.'],
  key_exists: [409, 'This account already has a key with this value.'],
  plan_in_use: [409, 'Keys or customers use this plan. Give them another plan first.'],
  customer_exists: [409, 'This project already has a customer with this customAccountId.'],
  project_inactive: [409, 'This project is inactive. Reactivate it first.'],
  key_inactive: [409, 'This key is revoked. Reactivate it first.'],
  too_many_grants: [
    409,
    'There are 100 grants with credits left. Take the rest of an old one away first, or set the balance.',
  ],
  credits_overdrawn: [
    409,
    'More credits were spent than there were. Add credits to pay the debt, or cancel it with {"set": 0} at …/credits.',
  ],
  too_many_keys: [409, 'This customer has 100 active keys. Revoke one first.'],
  invitation_closed: [409, 'This invitation is no longer pending.'],
  already_member: [409, 'This user is already a member of the account.'],
  person_exists: [409, 'A user with this address already exists. Sign in first.'],
  last_owner: [409, 'An account must keep at least one owner of the whole account.'],
  role_account_wide: [
    409,
    'This role covers the whole account, so a single project cannot be removed from it. Set the remaining projects with PATCH /users/{id}/roles and projectIds.',
  ],
  two_factor_on: [409, 'The second factor is already enabled.'],
  two_factor_off: [409, 'The second factor is not enabled.'],
  mail_unavailable: [409, 'No mail server is configured, so no mail can be sent.'],
  webhook_not_live: [409, 'This webhook is not live. Set its status to live first.'],
  delivery_cancelled: [409, 'This delivery was cancelled and cannot be sent.'],
  secret_rotating: [409, 'The previous secret is still valid. Rotate again when it has expired.'],
  replay_running: [409, 'A replay of this webhook is still running.'],
  idempotency_in_flight: [409, 'A request with this Idempotency-Key is still in progress.'],
  edit_conflict: [
    412,
    'This resource was changed since you read it. Read it again, then repeat your change.',
  ],
  batch_too_large: [
    413,
    'The response to this batch would be larger than 16 MB. Send half as many keys per request.',
  ],
  body_too_large: [
    413,
    'The body is too large: at most 64 KB, or 1 MB for imports and reports from GitHub.',
  ],
  unsupported_media_type: [415, 'Send the body as application/json.'],
  idempotency_mismatch: [422, 'This Idempotency-Key was already used with another request.'],
  ...refusals(429),
  management_rate_limited: [429, 'Too many management requests with this credential.'],
  sign_in_throttled: [429, 'Too many attempts. Try again later.'],
  too_many_pings: [429, 'This account has sent too many pings. Try again shortly.'],
  too_many_reporters: [
    429,
    'This access key has reported usage with more than 10,000 values of `reporter` in a day. Use one `reporter` per process.',
  ],
  too_many_streams: [429, 'Too many change streams are open.'],
  headers_too_large: [431, 'The headers are larger than 16 KB.'],
  internal_error: [500, 'Internal error. The server log has details under the request id.'],
  overloaded: [503, 'The server is overloaded. Retry after the time in Retry-After.'],
  query_too_slow: [503, 'The database did not answer within the time that one query may take.'],
  starting_up: [503, 'This node is starting. Try again shortly.'],
  shutting_down: [503, 'This node is shutting down. Try again shortly.'],
  node_isolated: [503, 'This node has lost contact with the cluster. Try again shortly.'],
  clock_off: [503, 'The clock of this node is wrong. Try again shortly.'],
  keyward_unavailable: [503, 'API keys cannot be validated at the moment.'],
  storage_full: [
    503,
    'The disk of the database is full. Free space on it: until then, changes are rejected, except revocations with the embedded database. Keys that do not use credits can still be validated.',
  ],
  storage_unavailable: [503, 'The database is unavailable. Try again shortly.'],
  too_many_database_connections: [
    503,
    'The database accepts no more connections. Try again shortly.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

export class KeywardError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Additional response headers, flat: name, value, name, value. */
  readonly headers: readonly string[];

  constructor(
    code: ErrorCode,
    message?: string,
    options?: { headers?: readonly string[]; cause?: unknown },
  ) {
    super(message ?? ERRORS[code][1], { cause: options?.cause });
    this.name = 'KeywardError';
    this.code = code;
    this.status = ERRORS[code][0];
    this.headers = options?.headers ?? [];
  }
}

export interface ErrorBody {
  statusCode: number;
  message: string;
  error: string;
  code: ErrorCode;
  /** URL of the page about this code. */
  docs: string;
  requestId: string;
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export const reasonOf = (status: number): string => REASONS[status] ?? 'Error';

/** Writes the body of an error. The default message is the one in the catalogue. */
export type WriteErrorBody = (code: ErrorCode, requestId: string, message?: string) => ErrorBody;

export const ERROR_PAGES_PATH = '/docs/errors';

/**
 * Links use `publicUrl`, not the Host header of the request, which an attacker could set to lead people
 * elsewhere.
 */
export const createErrorBody =
  (publicUrl: () => string): WriteErrorBody =>
  (code, requestId, message = ERRORS[code][1]) => {
    const statusCode = ERRORS[code][0];
    const docs = `${publicUrl()}${ERROR_PAGES_PATH}/${code}`;
    return { statusCode, message, error: reasonOf(statusCode), code, docs, requestId };
  };
