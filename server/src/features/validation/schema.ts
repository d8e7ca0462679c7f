import Type from 'typebox';
import { RateLimits, ValidatedKey } from '../api-keys/index.ts';
import { CreditsLeft } from '../credits/index.ts';

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

/** What explains a refusal, in the result of a batch and in the error of a single validation. */
export const refusalFields = {
  missing: Type.Optional(
    Type.Array(Type.String(), {
      description: 'With `permission_denied`: the required permissions that the key lacks.',
    }),
  ),
  retryable: Type.Optional(
    Type.Literal(false, {
      description:
        'With `rate_limited`, if the cost is larger than a limit allows in a whole window: the request can never succeed.',
    }),
  ),
  limit: Type.Optional(
    Type.String({
      description:
        'With `rate_limited`, if the key has `limits`: the name of the limit that refused.',
    }),
  ),
  rateLimits: Type.Optional({
    ...RateLimits,
    description: 'With `rate_limited`, if the key has `limits`: all of them.',
  }),
  credits: Type.Optional(CreditsLeft),
};

export const BatchResult = Type.Object(
  {
    valid: Type.Boolean(),
    statusCode: Type.Integer({ description: 'The status that a single validation would have.' }),
    code: Type.String({ description: '`valid`, or the error code.' }),
    ...refusalFields,
    record: Type.Optional(ValidatedKey),
    rateLimit: Type.Optional(RateLimitState),
  },
  { title: 'BatchResult' },
);
