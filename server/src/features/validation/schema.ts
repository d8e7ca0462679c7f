import Type from 'typebox';
import { Id, nullable, strict } from '../../kernel/schemas.ts';
import { ValidatedKey } from '../api-keys/index.ts';

export const BATCH_MAX = 1000;

/** A larger lease would take requests from other processes that this one may never use. */
const LEASE_MAX = 10_000;

const Value = Type.String({ maxLength: 4096, description: 'The value to validate.' });

export const ValidateInPath = strict({
  key: Type.String({ description: 'The value to validate.' }),
});

export const ValidateInBody = strict(
  {
    key: Type.Optional(Value),
    keys: Type.Optional(Type.Array(Value, { minItems: 1, maxItems: BATCH_MAX })),
    lease: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LEASE_MAX,
        description:
          'With `key`: lease the key, to validate it in your own process and report its uses with `POST /usage`. If the key has a rate limit, up to this many requests are taken from its window.',
      }),
    ),
  },
  'ValidateKeys',
);

/** Not strict: old clients send other fields beside the key. */
export const AuthenticateOldForm = Type.Object(
  { credentials: Type.Object({ api_key: Type.String({ maxLength: 4096 }) }) },
  { title: 'AuthenticateOldForm' },
);

const RateLimitState = Type.Object(
  {
    limit: Type.Integer(),
    remaining: Type.Integer(),
    consumed: Type.Integer(),
    reset: Type.Integer({ description: 'UTC epoch seconds.' }),
    retryAfterSeconds: Type.Number(),
  },
  { title: 'RateLimitState' },
);

export const BatchResult = Type.Object(
  {
    valid: Type.Boolean(),
    statusCode: Type.Integer({ description: 'The status that a single validation would have.' }),
    code: Type.String({ description: '`valid`, or the error code.' }),
    record: Type.Optional(ValidatedKey),
    rateLimit: Type.Optional(RateLimitState),
  },
  { title: 'BatchResult' },
);

const Lease = Type.Object(
  {
    id: Type.String({ description: 'Identifies the lease when unused requests are returned.' }),
    granted: Type.Integer({ minimum: 1 }),
    resetInMs: Type.Integer({
      description: 'The window, and the lease with it, ends after this time.',
    }),
  },
  { title: 'Lease' },
);

/** Times are durations from the moment the request was sent, so clocks need not agree. */
export const LeasedKey = Type.Object(
  {
    record: ValidatedKey,
    behindMs: Type.Integer({
      description: 'The response reflects every change made longer ago than this.',
    }),
    expiresInMs: nullable(Type.Integer()),
    lease: nullable(Lease),
  },
  { title: 'LeasedKey' },
);

export const ReturnLeases = strict(
  {
    leases: Type.Array(
      strict({
        keyId: Id('key', 'the key'),
        leaseId: Id('lse', 'the lease'),
        unused: Type.Integer({ minimum: 0, maximum: LEASE_MAX }),
      }),
      { minItems: 1, maxItems: 300 },
    ),
  },
  'ReturnLeases',
);

export const ReturnedLeases = Type.Object(
  { returned: Type.Integer({ description: 'Requests that are available again.' }) },
  { title: 'ReturnedLeases' },
);

/** Statuses that a gateway can request; the first is the default. */
export const INVALID_STATUSES = [401, 403, 404];
export const LIMITED_STATUSES = [429, 401, 403];

const status = (description: string, choices: readonly number[]) =>
  Type.Optional(
    Type.Union(
      choices.map((each) => Type.Literal(String(each))),
      { description: `${description} Default: ${choices[0]}.` },
    ),
  );

export const GatewayQuery = strict({
  invalid: status('Status for a key that is missing or not valid.', INVALID_STATUSES),
  limited: status('Status for a key whose rate limit is exceeded.', LIMITED_STATUSES),
});
