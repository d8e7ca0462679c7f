import { SESSION_COOKIE } from '../features/people/index.ts';
import { refusalFields } from '../features/validation/index.ts';
import { DESCRIBED_EVENTS, type DescribedEvent } from '../features/webhooks/index.ts';
import { ERRORS, type ErrorCode, reasonOf } from '../kernel/errors.ts';
import { packageVersion } from '../kernel/files.ts';
import type { Route } from '../kernel/route.ts';
import { INTERFACE_TAG, INTRODUCTION, TAG_GROUPS, TAGS } from './docs-page/introduction.ts';
import { CSV, NDJSON } from './responses/listing.ts';

export const PRODUCT = { name: 'Keyward', version: packageVersion() };

/** Of the interface that existing clients use (the tag `auth_api_v1`). The version of Keyward is separate. */
const INTERFACE_VERSION = '0.3.4';

type Json = Record<string, unknown>;

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

/** OpenAPI 3.1 of all routes and events, from the schemas that the server uses. */
export function openApiDocument(routes: readonly Route[]): Json {
  const components = new Map<string, Json>();
  hoist(ERROR_SCHEMA, components);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Keyward',
      version: INTERFACE_VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
      'x-keyward-version': PRODUCT.version,
    },
    'x-keyward-errors': Object.entries(ERRORS).map(([code, [status, message]]) => ({
      code,
      status,
      message,
    })),
    servers: [{ url: '/' }],
    tags: TAGS,
    'x-tagGroups': TAG_GROUPS,
    security: [{ accessKey: [] }, { bearer: [] }, { session: [] }],
    paths,
    webhooks: Object.fromEntries(
      DESCRIBED_EVENTS.map((event) => [event.topic, { post: delivery(event, components) }]),
    ),
    components: {
      securitySchemes: {
        accessKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'An access key.',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'An access key.' },
        portalToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a portal session. It works for no other operation.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'The session of a person who is signed in to the dashboard. Requests that change something must come from pages of this server. The header `x-keyward-account` selects the account.',
        },
      },
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

function operation(route: Route, components: Map<string, Json>): Json {
  return {
    operationId: route.operationId,
    tags: tagsOf(route),
    summary: route.summary,
    ...descriptionOf(route),
    ...securityOf(route.access),
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...(route.creates ? [IDEMPOTENCY_HEADER] : []),
      ...(route.updates ? [IF_MATCH_HEADER] : []),
      ...(route.errors?.includes('domain_denied') ? [ORIGIN_HEADER] : []),
    ],
    ...(route.body && {
      requestBody: {
        required: !('~optional' in route.body),
        content: {
          'application/json': { schema: hoist(route.describedBody ?? route.body, components) },
        },
      },
    }),
    responses: { [route.status]: successOf(route, components), ...errorResponses(route) },
  };
}

function successOf(route: Route, components: Map<string, Json>): Json {
  if (route.status === 302) return { description: 'Found', headers: { Location: LOCATION_HEADER } };
  const reply = hoist(route.reply, components);
  return {
    description: route.status === 201 ? 'Created' : 'OK',
    ...(route.list && { headers: { Link: LINK_HEADER, ...describedHeaders(route) } }),
    content: route.stream
      ? { 'text/event-stream': { schema: reply } }
      : {
          'application/json': { schema: route.list ? { type: 'array', items: reply } : reply },
          ...(route.list && { [NDJSON]: { schema: reply } }),
          ...(route.csv && { [CSV]: { schema: { type: 'string' } } }),
        },
  };
}

const describedHeaders = ({ responseHeaders = {} }: Route): Json =>
  Object.fromEntries(
    Object.entries(responseHeaders).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );

/** Operations of the API of theauthapi also get the tag of their resource, the first part of their path. */
const tagsOf = ({ tag, path }: Route): string[] =>
  tag === INTERFACE_TAG ? [tag, path.split('/')[1]!] : [tag];

function descriptionOf(route: Route): Json {
  const parts = [route.description, requirementOf(route)].filter((part) => part !== undefined);
  return parts.length === 0 ? {} : { description: parts.join('\n\n') };
}

/** Routes with these codes require more than a scope. Their descriptions say who may call them. */
const NOT_BY_SCOPE: readonly ErrorCode[] = ['people_only', 'operator_only'];

function requirementOf({ access, portalAction, errors }: Route): string | undefined {
  if (access === 'public' || access === 'person') return undefined;
  if (errors?.some((code) => NOT_BY_SCOPE.includes(code))) return undefined;
  if (access !== 'portal') return `Required scope: \`${access}\`.`;
  return portalAction && `The portal session must allow \`${portalAction}\`.`;
}

function securityOf(access: Route['access']): Json {
  if (access === 'public') return { security: [] };
  if (access === 'portal') return { security: [{ portalToken: [] }] };
  return access === 'person' ? { security: [{ session: [] }] } : { 'x-keyward-scope': access };
}

/** The request that a webhook receiver gets. */
function delivery(event: DescribedEvent, components: Map<string, Json>): Json {
  return {
    operationId: `on${event.schema.title}`,
    tags: ['webhooks'],
    summary: event.summary,
    security: [],
    parameters: SIGNATURE_HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: hoist(event.schema, components),
          examples: { [event.topic]: { value: event.example } },
        },
      },
    },
    responses: {
      '2XX': {
        description: 'Received. Any other status, or no response within 15 seconds, is retried.',
      },
      '410': { description: 'Gone: the webhook is disabled immediately.' },
    },
  };
}

function errorResponses(route: Route): Json {
  const codes = new Set<ErrorCode>(route.errors);
  for (const code of sharedCodes(route.access)) codes.add(code);
  if (route.access !== 'public' && route.method !== 'GET') codes.add('origin_denied');
  if (route.fromPages) for (const code of FROM_PAGES) codes.add(code);
  if (route.access !== 'public' && !route.unmetered) codes.add('management_rate_limited');
  if (route.params) codes.add('invalid_path');
  codes.add('invalid_query');
  if (route.list) codes.add('invalid_cursor');
  if (route.body)
    for (const code of ['invalid_body', 'invalid_json', 'body_too_large', 'unsupported_media_type'])
      codes.add(code as ErrorCode);
  if (route.creates)
    for (const code of ['idempotency_in_flight', 'idempotency_mismatch'])
      codes.add(code as ErrorCode);
  if (route.updates)
    for (const code of ['invalid_header', 'edit_conflict'] as const) codes.add(code);
  const failures = [...codes].flatMap((code) =>
    (route.statuses?.[code] ?? [ERRORS[code][0]]).map((status) => ({ code, status })),
  );
  const byStatus = Map.groupBy(failures, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, of]) => [
        status,
        {
          description: `${reasonOf(status)}: ${of.map(({ code }) => `\`${code}\``).join(', ')}`,
          'x-keyward-codes': of.map(({ code }) => code),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
  );
}

function sharedCodes(access: Route['access']): readonly ErrorCode[] {
  if (access === 'public') return ['invalid_header', 'internal_error'];
  if (access === 'person') return PERSON_CODES;
  return access === 'portal' ? PORTAL_CODES : SCOPE_CODES;
}

/** Schemas with a title become components, so that each appears once in the document. */
function hoist(schema: unknown, components: Map<string, Json>): Json {
  const copy = walk(schema, components) as Json;
  const { title } = copy;
  if (typeof title !== 'string') return copy;
  components.set(title, copy);
  return { $ref: `#/components/schemas/${title}` };
}

function walk(value: unknown, components: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => inner(item, components));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      // Internal properties of TypeBox, which become visible in copies.
      .filter(([name]) => !name.startsWith('~'))
      .map(([name, item]) => [name, name === 'examples' ? item : inner(item, components)]),
  );
}

const inner = (item: unknown, components: Map<string, Json>): unknown =>
  item !== null && typeof item === 'object' && 'title' in item && typeof item.title === 'string'
    ? hoist(item, components)
    : walk(item, components);

function parameters(schema: Route['params'], where: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: where,
      required: where === 'path' || required.has(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

const IDEMPOTENCY_HEADER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A unique value, such as a UUID, that makes retries safe. The same request (path, query and body) with the same key within 24 hours returns the first response and creates nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const IF_MATCH_HEADER: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `updatedAt` of the resource when you read it, in quotes. If it was changed since, the request returns 412 and changes nothing.',
  schema: { type: 'string' },
};

const ORIGIN_HEADER: Json = {
  name: 'x-origin-domain',
  in: 'header',
  required: false,
  description:
    'The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`.',
  schema: { type: 'string' },
};

const signatureHeader = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** As specified by Standard Webhooks. */
const SIGNATURE_HEADERS: readonly Json[] = [
  signatureHeader(
    'webhook-id',
    'The id of the event. It is the same on every attempt; use it to ignore duplicates.',
  ),
  signatureHeader('webhook-timestamp', 'The time of this attempt, in seconds since 1970.'),
  signatureHeader(
    'webhook-signature',
    '`v1,` followed by the base64 HMAC-SHA256 of `id.timestamp.body` with the secret. For 24 hours after a rotation there are two signatures, separated by a space.',
  ),
];

const LINK_HEADER: Json = {
  description:
    '`<…>; rel="next"` if there is another page. A page may hold fewer items than `limit`: it ends at 1 MB.',
  schema: { type: 'string' },
};

const LOCATION_HEADER: Json = {
  description: 'The address of the next page.',
  schema: { type: 'string' },
};

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
