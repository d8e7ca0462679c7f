import { REFUSAL_CODES, REFUSALS } from '@keyward/rules/outcomes.ts';
import Type from 'typebox';
import type { ErrorCode } from '../../kernel/errors.ts';
import { defineRoute, RawResponse, type Route } from '../../kernel/route.ts';
import { type KeyReader, ValidatedKey } from '../api-keys/index.ts';
import type { CreditService } from '../credits/index.ts';
import { validateBatch } from './batch.ts';
import type { ClientIPHeader } from './client-ip.ts';
import { explainRoute } from './explain.ts';
import { GATEWAY_CREDENTIAL, gatewayRequest, gatewayResponse } from './gateway.ts';
import type { KeyLeases } from './leases/key-leases.ts';
import { describeKeys, leaseKey } from './leases/lease-response.ts';
import type { LeaseReturns } from './leases/lease-returns.ts';
import { LeasedKey, ReturnedLeases, ReturnLeases } from './leases/schema.ts';
import { wantedLeases } from './leases/wanted-leases.ts';
import { BatchResult } from './schema.ts';
import { callerOf, type ValidationParts, validateOne } from './single.ts';
import { batchOf, checkBodyForm } from './wire/body-form.ts';
import { conditionsInQuery, conditionsOf } from './wire/conditions.ts';
import {
  AuthenticateOldForm,
  DescribedOldForm,
  DescribedValidateInBody,
  GatewayQuery,
  INVALID_STATUSES,
  LIMITED_STATUSES,
  PathQuery,
  ValidateInBody,
  ValidateInPath,
} from './wire/request-schema.ts';

/** The statuses that a gateway can choose for a refusal. */
const GATEWAY_STATUSES = { 403: undefined, 404: INVALID_STATUSES, 429: LIMITED_STATUSES };

const gatewayStatuses: Route['statuses'] = {
  key_missing: INVALID_STATUSES,
  ...Object.fromEntries(
    REFUSAL_CODES.map((code) => [code, GATEWAY_STATUSES[REFUSALS[code].status]]),
  ),
};

/** `clientIPHeader`: null if no header is read. */
type GatewayParts = ValidationParts & { readonly clientIPHeader: ClientIPHeader | null };

type LeasingParts = ValidationParts & { readonly leases: KeyLeases };

export const validationRoutes = (
  parts: LeasingParts &
    GatewayParts & { readonly keys: KeyReader; readonly credits: CreditService },
  returns: LeaseReturns,
): Route[] => [
  validateInPath(parts, { method: 'POST', operationId: 'validateApiKey', tag: 'auth_api_v1' }),
  // Some published samples of theauthapi, whose API this endpoint implements, use GET. GET counts and
  // consumes like POST.
  validateInPath(parts, { method: 'GET', operationId: 'validateApiKeyByGet', tag: 'api-keys' }),
  validateInBody(parts),
  authenticate(parts),
  verifyForGateway(parts),
  returnLeases(returns),
  explainRoute(parts),
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
      'Accepts the value of a key, not its id. To keep the key out of URLs, send it in the body.',
    example: { params: { key: '$KEY' } },
    access: 'keys:validate',
    unmetered: true,
    params: ValidateInPath,
    query: PathQuery,
    reply: ValidatedKey,
    status: 200,
    errors: [...REFUSAL_CODES, 'unit_not_declared'],
    handle: async (call) =>
      validateOne(parts, call, call.params.key, conditionsInQuery(call, call.query)),
  });

const validateInBody = (parts: LeasingParts) =>
  defineRoute({
    method: 'POST',
    path: '/api-keys/auth',
    operationId: 'validateApiKeys',
    tag: 'api-keys',
    summary: 'Validate one API key, or up to 1,000 at once',
    description:
      'With `key`, the response is the same as that of `POST /api-keys/auth/{key}`. With `keys`, it is 200 and an array with the result of each key, in the order of the request. A batch whose response would be larger than 16 MB is rejected with 413 `batch_too_large` and counts nothing: send half as many keys. With `key` and `lease`, the response has what a process needs to validate the key in its own memory. With `keys` and `lease: 0`, it has that for many keys, to be cached before they are used: the result of a key is that, or that of a batch if the key is not valid or needs a lease of credits. Nothing is leased, and no use is counted.',
    example: { body: { key: '$KEY', permissions: 'documents.read' } },
    access: 'keys:validate',
    unmetered: true,
    body: ValidateInBody,
    describedBody: DescribedValidateInBody,
    reply: Type.Union([
      ValidatedKey,
      Type.Array(BatchResult),
      LeasedKey,
      Type.Array(Type.Union([LeasedKey, BatchResult])),
    ]),
    status: 200,
    errors: [...REFUSAL_CODES, 'batch_too_large', 'unit_not_declared'],
    async handle(call) {
      const { key, keys, lease } = call.body;
      checkBodyForm(call.body);
      const conditions = conditionsOf(call, call.body);
      if (keys !== undefined && lease !== undefined)
        return describeKeys(parts, call, keys as string[], call.body.accounting === true);
      if (keys !== undefined)
        return new RawResponse(
          await validateBatch(parts, callerOf(call.actor), batchOf(keys, conditions)),
        );
      return lease === undefined
        ? validateOne(parts, call, key!, conditions)
        : leaseKey(parts, call, key!, wantedLeases(lease, call.body, conditions));
    },
  });

const authenticate = (parts: ValidationParts) =>
  defineRoute({
    method: 'POST',
    path: '/auth/authenticate',
    operationId: 'authenticateApiKey',
    tag: 'api-keys',
    summary: 'Validate an API key, for old clients',
    description:
      'The same validation as `POST /api-keys/auth`, with the body of an older version of theauthapi. New programs use `POST /api-keys/auth`.',
    example: { body: { credentials: { api_key: '$KEY' } } },
    access: 'keys:validate',
    unmetered: true,
    body: AuthenticateOldForm,
    describedBody: DescribedOldForm,
    reply: ValidatedKey,
    status: 200,
    errors: [...REFUSAL_CODES, 'unit_not_declared'],
    handle: async (call) =>
      validateOne(parts, call, call.body.credentials.api_key, conditionsOf(call, call.body)),
  });

const verifyForGateway = (parts: GatewayParts) =>
  defineRoute({
    method: 'GET',
    path: '/gateway/verify',
    operationId: 'verifyForGateway',
    tag: 'gateways',
    summary: 'Validate an API key for a gateway’s sub-request',
    description:
      'For `auth_request` of nginx, `forward_auth` of Caddy and similar. Any method, and any path below this one, gives the same result. Send the gateway’s access key in `x-keyward-access-key`, and the key of its user in `x-keyward-key` (alone, or after `Bearer`). Without `x-keyward-key`, the `x-api-key` or `Authorization` header of the user is read. The main fields of the key are returned in `x-keyward-*` headers, and the whole record in the body. `x-keyward-status` and `x-keyward-code` have the result, whatever status was requested. The permissions that the key must have are given by `permission` in the query, and in the header `x-keyward-permission`, separated by commas. The address of the user is `ip` in the query, or in the header that the server is started with as `KEYWARD_CLIENT_IP_HEADER`. With the header `x-keyward-own-errors: 503`, an error about the gateway’s own access key is a 503 `keyward_unavailable` instead of a 401 or 403.',
    example: { headers: { 'x-api-key': '$KEY' } },
    access: 'keys:validate',
    credentialHeader: GATEWAY_CREDENTIAL,
    unmetered: true,
    query: GatewayQuery,
    reply: ValidatedKey,
    status: 200,
    errors: ['key_missing', 'keyward_unavailable', ...REFUSAL_CODES, 'unit_not_declared'],
    statuses: gatewayStatuses,
    async handle(call) {
      const { value, conditions, statuses } = gatewayRequest(
        call,
        call.query,
        parts.clientIPHeader,
      );
      const verdict =
        value === ''
          ? 'key_missing'
          : await parts.validator.validate(callerOf(call.actor), value, conditions);
      const errorBody = (code: ErrorCode, message?: string) =>
        parts.errorBody(code, call.actor.requestId, message);
      return new RawResponse(gatewayResponse(verdict, statuses, errorBody, parts.clock()));
    },
  });

const returnLeases = (returns: LeaseReturns) =>
  defineRoute({
    method: 'POST',
    path: '/api-keys/leases/return',
    operationId: 'returnLeases',
    tag: 'api-keys',
    summary: 'Return unused requests and credits of leases',
    description:
      'Unused requests go back to the window that they were taken from, while it is open; unused credits go back to their pool, until the lease has ended. A lease can be returned once, and gives back at most what it granted. Entries of unknown, ended or returned leases are ignored.',
    example: {
      body: {
        leases: [{ keyId: '$KEY_ID', leaseId: 'lse_01jz5n8w3e7xk2m4q6s8v0y1zb', unused: 5 }],
      },
    },
    access: 'keys:validate',
    unmetered: true,
    body: ReturnLeases,
    reply: ReturnedLeases,
    status: 200,
    handle: async (call) => ({
      returned: await returns.accept(callerOf(call.actor), call.body.leases),
    }),
  });
