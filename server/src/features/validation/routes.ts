import Type from 'typebox';
import { type ErrorCode, KeywardError } from '../../kernel/errors.ts';
import { defineRoute, type Route, Written } from '../../kernel/route.ts';
import { ValidatedKey } from '../api-keys/index.ts';
import { validateBatch } from './batch.ts';
import { GATEWAY_CREDENTIAL, gatewayResponse, keyInHeaders } from './gateway.ts';
import { type LeaseReturns, leaseKey } from './leases.ts';
import {
  AuthenticateOldForm,
  BatchResult,
  GatewayQuery,
  INVALID_STATUSES,
  LeasedKey,
  LIMITED_STATUSES,
  ReturnedLeases,
  ReturnLeases,
  ValidateInBody,
  ValidateInPath,
} from './schema.ts';
import { callerOf, originOf, type ValidationParts, validateOne } from './single.ts';

const VALIDATION_ERRORS: readonly ErrorCode[] = [
  'key_not_found',
  'key_malformed',
  'key_revoked',
  'key_expired',
  'key_project_inactive',
  'domain_denied',
  'rate_limited',
];

export const validationRoutes = (parts: ValidationParts, returns: LeaseReturns): Route[] => [
  validateInPath(parts, { method: 'POST', operationId: 'validateApiKey', tag: 'auth_api_v1' }),
  // Some published samples of the interface use GET. It counts and consumes like POST.
  validateInPath(parts, { method: 'GET', operationId: 'validateApiKeyByGet', tag: 'api-keys' }),
  validateInBody(parts),
  authenticate(parts),
  verifyForGateway(parts),
  returnLeases(returns),
];

const validateInPath = (
  parts: ValidationParts,
  route: Pick<Route, 'method' | 'operationId' | 'tag'>,
) =>
  defineRoute({
    ...route,
    path: '/api-keys/auth/:key',
    summary: 'Validate an API key',
    description:
      'Takes the value of the key only, never an id. The body form keeps the key out of the URL.',
    access: 'keys:validate',
    unmetered: true,
    params: ValidateInPath,
    reply: ValidatedKey,
    status: 200,
    errors: VALIDATION_ERRORS,
    handle: (call) => validateOne(parts, call, call.params.key),
  });

const validateInBody = (parts: ValidationParts) =>
  defineRoute({
    method: 'POST',
    path: '/api-keys/auth',
    operationId: 'validateApiKeys',
    tag: 'api-keys',
    summary: 'Validate one API key, or up to 1,000 at once',
    description:
      'With `key` it answers as the path form does. With `keys` it answers 200 and an array, in the order asked, of what each one would have got. A batch whose response would be larger than 16 MB is refused with 413 `batch_too_large` and counts nothing: send half as many keys. With `lease` it answers what a process needs that validates in its own memory.',
    access: 'keys:validate',
    unmetered: true,
    body: ValidateInBody,
    reply: Type.Union([ValidatedKey, Type.Array(BatchResult), LeasedKey]),
    status: 200,
    errors: [...VALIDATION_ERRORS, 'batch_too_large'],
    async handle(call) {
      const { key, keys, lease } = call.body;
      if ((key === undefined) === (keys === undefined))
        throw new KeywardError('invalid_body', 'Send either key or keys.');
      if (lease !== undefined) {
        if (key === undefined)
          throw new KeywardError('invalid_body', 'lease can be sent only with key.');
        return leaseKey(parts, call, key, lease);
      }
      if (keys === undefined) return validateOne(parts, call, key!);
      return new Written(await validateBatch(parts, callerOf(call.actor), keys, originOf(call)));
    },
  });

const authenticate = (parts: ValidationParts) =>
  defineRoute({
    method: 'POST',
    path: '/auth/authenticate',
    operationId: 'authenticateApiKey',
    tag: 'api-keys',
    summary: 'Validate an API key, in the form of old clients',
    access: 'keys:validate',
    unmetered: true,
    body: AuthenticateOldForm,
    reply: ValidatedKey,
    status: 200,
    errors: VALIDATION_ERRORS,
    handle: (call) => validateOne(parts, call, call.body.credentials.api_key),
  });

const verifyForGateway = (parts: ValidationParts) =>
  defineRoute({
    method: 'GET',
    path: '/gateway/verify',
    operationId: 'verifyForGateway',
    tag: 'gateways',
    summary: 'Validate an API key for a gateway’s sub-request',
    description:
      'For `auth_request` of nginx, `forward_auth` of Caddy and their like; any method and any path below this one is answered alike. The gateway’s access key comes in `x-keyward-access-key`, the key of its user in `x-keyward-key` (alone, or after `Bearer`). Where the gateway sends no `x-keyward-key`, the `x-api-key` or `Authorization` header of its user is read. What the key is comes back in `x-keyward-*` headers, and whole in the body. `x-keyward-status` and `x-keyward-code` say what was decided, whichever status was asked for. With the header `x-keyward-own-errors: 503`, an error about the gateway’s own access key is a 503 `keyward_unavailable` instead of a 401 or 403.',
    access: 'keys:validate',
    credentialHeader: GATEWAY_CREDENTIAL,
    unmetered: true,
    query: GatewayQuery,
    reply: ValidatedKey,
    status: 200,
    errors: ['key_missing', 'keyward_unavailable', ...VALIDATION_ERRORS],
    statuses: {
      key_missing: INVALID_STATUSES,
      key_not_found: INVALID_STATUSES,
      key_malformed: INVALID_STATUSES,
      key_revoked: INVALID_STATUSES,
      key_expired: INVALID_STATUSES,
      key_project_inactive: INVALID_STATUSES,
      rate_limited: LIMITED_STATUSES,
    },
    async handle(call) {
      const value = keyInHeaders(call.headers);
      const verdict =
        value === ''
          ? 'key_missing'
          : await parts.validator.validate(callerOf(call.actor), value, originOf(call));
      const { invalid, limited } = call.query as { invalid?: string; limited?: string };
      const statuses = { invalid: Number(invalid ?? 401), limited: Number(limited ?? 429) };
      const errorBody = (code: ErrorCode) => parts.errorBody(code, call.actor.requestId);
      return new Written(gatewayResponse(verdict, statuses, errorBody, parts.clock()));
    },
  });

const returnLeases = (returns: LeaseReturns) =>
  defineRoute({
    method: 'POST',
    path: '/api-keys/leases/return',
    operationId: 'returnLeases',
    tag: 'api-keys',
    summary: 'Give back what was not used of leases',
    description:
      'Into the same window, while it is open; each lease once, and never more than it granted. Whatever else is said of a lease is passed over.',
    access: 'keys:validate',
    unmetered: true,
    body: ReturnLeases,
    reply: ReturnedLeases,
    status: 200,
    handle: async (call) => ({
      returned: await returns.take(callerOf(call.actor), call.body.leases),
    }),
  });
