import Type from 'typebox';
import type { ErrorCode } from '../../../kernel/errors.ts';
import { type Call, defineRoute, Written } from '../../../kernel/route.ts';
import { strict } from '../../../kernel/schemas.ts';
import { ValidatedKey } from '../../api-keys/index.ts';
import { gatewayAnswer } from '../gateway-answer.ts';
import { callerOf, originOf, VALIDATION_ERRORS, type ValidationParts } from '../validate-one.ts';

/** Where a gateway puts its own credential, so that the headers of its user may come along. */
const GATEWAY_CREDENTIAL = 'x-keyward-access-key';

/** What may be asked for, the usual one first. */
const INVALID = [401, 403, 404];
const LIMITED = [429, 401, 403];

const status = (description: string, choices: readonly number[]) =>
  Type.Optional(
    Type.Union(
      choices.map((each) => Type.Literal(String(each))),
      { description: `${description} ${choices[0]} unless told otherwise.` },
    ),
  );

const Query = strict({
  invalid: status('Status for a key that is missing or not valid.', INVALID),
  limited: status('Status for a key whose rate limit is exceeded.', LIMITED),
});

export const verifyForGateway = (parts: ValidationParts) =>
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
    query: Query,
    reply: ValidatedKey,
    status: 200,
    errors: ['key_missing', 'keyward_unavailable', ...VALIDATION_ERRORS],
    statuses: {
      key_missing: INVALID,
      key_not_found: INVALID,
      key_malformed: INVALID,
      key_revoked: INVALID,
      key_expired: INVALID,
      key_project_inactive: INVALID,
      rate_limited: LIMITED,
    },
    async handle(call) {
      const value = userKeyIn(call.headers);
      const caller = callerOf(call.actor);
      const verdict =
        value === ''
          ? 'key_missing'
          : await parts.validator.validate(caller, value, originOf(call));
      const { invalid, limited } = call.query as { invalid?: string; limited?: string };
      const statuses = { invalid: Number(invalid ?? 401), limited: Number(limited ?? 429) };
      const errorBody = (code: ErrorCode) => parts.errorBody(code, call.actor.requestId);
      return new Written(gatewayAnswer(verdict, statuses, errorBody, parts.clock()));
    },
  });

/**
 * What the gateway says is the key, decides, even when it says that there is none. The headers of
 * the user are looked at only where they cannot be the gateway's own credential.
 */
function userKeyIn(headers: Call['headers']): string {
  const said = headers['x-keyward-key'];
  if (said !== undefined) return withoutScheme(said);
  if (headers[GATEWAY_CREDENTIAL] === undefined) return '';
  return withoutScheme(headers['x-api-key'] ?? headers.authorization ?? '');
}

function withoutScheme(header: string | string[]): string {
  const text = String(header).trim();
  return /^bearer\s/i.test(text) ? text.slice(7).trim() : text;
}
