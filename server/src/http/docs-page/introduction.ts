import { AREAS } from '@keyward/rules/areas.ts';

/** The text before the operations, in Markdown. Each `##` becomes an entry of the navigation. */
export const INTRODUCTION = [
  'Keyward issues, stores and validates the API keys that you give to the users of your API. Requests and responses are JSON, times are ISO 8601 in UTC, and ids begin with their type, such as `prj_`. The version above is that of this interface, not of Keyward. More: [all documentation](/docs/).',
  'To try a request on this page, paste an access key under **Authentication** and choose **Test Request**. The request is sent to this server and has its full effect. The page forgets the access key when you close it.',

  '## Samples',
  'Set the address of your server and an access key of the whole account. The first start of the server printed one.',
  '```sh\nexport KEYWARD_URL=http://127.0.0.1:8080\nexport KEYWARD_ACCESS_KEY=account_access_…\n```',
  'Then every sample for a shell can be pasted, in the order of this page: samples that create something keep its id in a variable for those that follow, and what deletes comes last in each group. Samples in TypeScript, Python and Go read the same variables. On a server with several projects, add `projectId` where something is created. Operations of people need `KEYWARD_SESSION`, the cookie `__Host-keyward.session_token` of your browser. Samples that need something else, such as a browser, a mail or the signature of a third party, say so.',

  '## Authentication',
  'There are two kinds of keys. An **API key** belongs to a user of your API, and Keyward validates it. An **access key** belongs to you, and authenticates your requests to Keyward.',
  '| Caller | Credential |\n|---|---|\n| Your servers | An access key in the header `x-api-key`, or in `Authorization: Bearer`. If both are sent, `x-api-key` counts. |\n| People in the dashboard | A session cookie. The header `x-keyward-account` selects the account. |\n| Customers in the portal | The token of a portal session in `Authorization: Bearer`, for the operations under `/portal/` only. |\n| The operator | The command line on the server signs its requests with the root secret. No access key is needed. |',
  'An access key has scopes, such as `keys:validate` or `keys:write`, and belongs to an account or to one of its projects. Each operation names the scope that it requires. Give a server that only validates keys an access key with the single scope `keys:validate`. Nobody can create an access key with more rights than their own.',
  'The whole value of a key is shown once, in the response that creates it. Do not put access keys into browsers or apps.',

  '## Rate limits',
  'A limit allows `rateLimit` validations of an API key in `rateLimitTtl` seconds. A key has one in `rateLimitConfigs`, and others in `limits` of the key, its customer and its plan. When one is exhausted, validations return 429 [`rate_limited`](/docs/errors/rate_limited) until the window ends, and do not count toward the limit. If `limits` apply to the key, the response also has `limit`, the name of the limit that refused, and `rateLimits`, which lists all of them; the limit named `default` is the one in `rateLimitConfigs`. A key with too few credits gets 429 [`credits_exhausted`](/docs/errors/credits_exhausted).',
  'Validations, `GET /changes`, `POST /usage` and `POST /api-keys/leases/return` do not count against the limit of your access key. All other requests do: 3,000 per minute unless the operator or the access key sets another limit. Above it they return 429 [`management_rate_limited`](/docs/errors/management_rate_limited).',
  '| Header | Meaning |\n|---|---|\n| `ratelimit-limit` | Requests allowed in a window |\n| `ratelimit-remaining` | Requests left in this window |\n| `ratelimit-consumed` | Requests used in this window |\n| `ratelimit-reset` | End of the window, in seconds since 1970 |\n| `retry-after-seconds` | Seconds until the window ends, as a decimal number, also on a 200 and on a 429 about credits |\n| `Retry-After` | Only with a 429 or 503 that may succeed later: whole seconds to wait |\n| `RateLimit-Policy`, `RateLimit` | Only for keys with `limits`: each enforced limit, and what is left of it ([draft](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/)) |\n| `credits-remaining` | Only for keys with credits: what is left |',
  'Validations of keys without limits, and requests that do not count, have none of the `ratelimit` headers. A 429 without `Retry-After` cannot succeed later by itself: no refill of the credits is planned, or the `cost` is larger than a limit allows in a whole window (the response then has `"retryable": false`).',
  'After a 429 or a 503, wait for the time in `Retry-After`, then retry with exponential backoff.',

  '## Pagination',
  'Lists are sorted newest first unless their parameters say otherwise. With `limit` (1 to 1,000) a response is one page. A page also ends when its items would be larger than 1 MB, so it may hold fewer items than `limit`. If there are more items, the header `Link: <…>; rel="next"` contains the address of the next page, with its `cursor`: only its absence means that a page is the last. Without `limit` the response is the whole list. `offset` skips up to 10,000 items.',
  'Send `Accept: application/x-ndjson` to get one JSON object per line. Some lists are also available as `text/csv`.',
  'Operations with GET also accept HEAD, which returns the status and headers without the body. Validations and streams do not.',

  '## Idempotency',
  'Operations that create something accept the header `Idempotency-Key`. Repeating the same request (path, query and body) with the same key within 24 hours returns the first response and creates nothing. Use a new random value, such as a UUID, for each thing that you create. The same key with a different request returns 422 [`idempotency_mismatch`](/docs/errors/idempotency_mismatch).',

  '## Concurrent updates',
  'Updates of keys, plans, customers, access keys, projects and webhooks accept the header `If-Match` with the `updatedAt` that you read, in quotes. If somebody else has changed the resource since, the update returns 412 [`edit_conflict`](/docs/errors/edit_conflict) and changes nothing.',

  '## Errors',
  'Every error has these fields; a refused validation may also have `missing`, `limit`, `rateLimits`, `retryable` or `credits`. Use the status and `code` in your program: they do not change. `message` is for people. `docs` is the address of a page that explains the error and what to do. Send `requestId` to the operator when you ask for help.',
  '```json\n{\n  "statusCode": 404,\n  "message": "There is no such project.",\n  "error": "Not Found",\n  "code": "project_not_found",\n  "docs": "https://keys.example.com/docs/errors/project_not_found",\n  "requestId": "req_01jz5n8w3e7x"\n}\n```',
  '| Status | Meaning |\n|---|---|\n| 400, 413, 415, 422, 431 | The request is not valid. `message` names the field. |\n| 401 | The credential is missing, unknown, revoked or expired. |\n| 403 | The credential does not allow this operation. |\n| 404, 405 | There is no such resource, or not for this credential; or no such operation. |\n| 409, 412 | The operation conflicts with the state of the resource. |\n| 429 | A rate limit was exceeded, or too few credits are left. |\n| 500, 503 | The server failed, is overloaded, or cannot reach its database. |',
  'Unknown query parameters and body fields are errors, so that a misspelled name is never ignored. See [all error codes](/docs/errors).',
].join('\n\n');

/** Marks the operations of the API of theauthapi, which existing clients know. Each also has the tag of its resource. */
export const INTERFACE_TAG = 'auth_api_v1';

interface Tag {
  readonly name: string;
  readonly 'x-displayName': string;
  readonly description: string;
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);

const tag = (name: string, displayName: string, description: string): Tag => ({
  name,
  'x-displayName': displayName,
  description,
});

/** The groups of the navigation, in order. An area that is in none has an entry in `Management`. */
const DESCRIBED = {
  Keys: [
    tag('api-keys', 'API keys', 'Create, validate, rotate and revoke the keys of your users.'),
    tag('plans', 'Plans', 'Permissions and limits that many keys share.'),
    tag('customers', 'Customers', 'Settings for all keys with the same customAccountId.'),
    tag('portal', 'Portal', 'A page where customers manage their own keys.'),
    tag('gateways', 'Gateways', 'Validation for nginx, Caddy, HAProxy and other gateways.'),
    tag('changes', 'Changes', 'A stream of key changes, for validation in your own process.'),
    tag('leaks', 'Leaks', 'Report key values that have leaked.'),
    tag('analytics', 'Analytics', 'How often keys are used, by whom and with which outcome.'),
  ],
  Management: [
    tag('access-keys', 'Access keys', 'The credentials of your servers, with scopes.'),
    tag('projects', 'Projects', 'Projects divide the keys of an account, for example by product.'),
    tag('accounts', 'Accounts', 'An account owns projects, keys and webhooks.'),
    tag('webhooks', 'Webhooks', 'HTTP requests to your server when something changes.'),
    tag('audit', 'Audit log', 'Who changed what, and when.'),
    tag('service', 'Server', 'Health checks, and the version of the server.'),
  ],
  People: [
    tag('invitations', 'Invitations', 'Invite people to an account and give them a role.'),
    tag('people', 'People', 'Sign-in, sessions, second factors, and roles in an account.'),
  ],
} satisfies Readonly<Record<string, readonly Tag[]>>;

const described = new Set(Object.values(DESCRIBED).flatMap((tags) => tags.map(({ name }) => name)));

/** Of the resources that nothing else is said about. */
const OTHERS = Object.entries(AREAS).flatMap(([name, area]) =>
  !('resource' in area) || described.has(name) || described.has(`${area.resource}s`)
    ? []
    : [tag(name, capital(name), `Create, list, update and delete ${name}.`)],
);

const GROUPS = { ...DESCRIBED, Management: [...DESCRIBED.Management, ...OTHERS] };

export const TAGS: readonly object[] = [
  ...Object.values(GROUPS).flat(),
  {
    name: INTERFACE_TAG,
    description: 'Operations of the API of theauthapi, with which Keyward is compatible.',
    'x-scalar-ignore': true,
  },
];

export const TAG_GROUPS = Object.entries(GROUPS).map(([name, tags]) => ({
  name,
  tags: tags.map((tag) => tag.name),
}));
