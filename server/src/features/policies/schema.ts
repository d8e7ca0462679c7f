import { PERMISSION_LENGTH_MAX, PERMISSIONS_MAX } from '@keyward/rules/permissions.ts';
import Type, { type Static } from 'typebox';
import { RateLimit, RateLimitTtl, strict } from '../../kernel/schemas.ts';

/** Limits of one plan, customer or key. */
const LIMITS_MAX = 4;

export const Permissions = Type.Array(
  Type.String({ minLength: 1, maxLength: PERMISSION_LENGTH_MAX, examples: ['documents.read'] }),
  {
    maxItems: PERMISSIONS_MAX,
    description:
      'What the key may do. Segments of `A-Z a-z 0-9 _ -`, joined by `.` or `:`. `documents.*` grants everything that begins with `documents.`, and `*` grants everything.',
  },
);

export const AllowedIPs = Type.Array(
  Type.String({ minLength: 1, maxLength: 49, examples: ['203.0.113.7', '10.0.0.0/8'] }),
  {
    minItems: 1,
    maxItems: 100,
    description:
      'IP addresses and CIDR ranges from which the key may be used, checked against `clientIP` of a validation.',
  },
);

export const AllowedDomains = Type.Array(
  Type.String({ minLength: 1, maxLength: 260, examples: ['app.example.com', '*.example.com'] }),
  {
    minItems: 1,
    maxItems: 100,
    description:
      'Hosts from which the key may be used, checked against the header `x-origin-domain`.',
  },
);

export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 16,
  description: 'Labels to filter by, of `a-z 0-9 . _ -`.',
  examples: [['beta', 'eu-west']],
});

const LimitName = Type.String({
  pattern: '^[a-z0-9-]{1,32}$',
  description:
    'Identifies the limit. If key, customer and plan have limits of the same name, that of the key applies, or else that of the customer. `default` is reserved for `rateLimitConfigs`.',
  examples: ['day'],
});
const Per = Type.Union([Type.Literal('key'), Type.Literal('customer')], {
  description:
    '`customer`: all keys with the same `customAccountId` share the count. Each key without one has its own count. Default: `key`.',
});
const Algorithm = Type.Union([Type.Literal('fixed'), Type.Literal('sliding')], {
  description:
    '`fixed`: a window opens at the first request. `sliding`: adds the count of the previous window, weighted by how much of it the last `rateLimitTtl` seconds still overlap. Default: `fixed`.',
});
const Mode = Type.Union([Type.Literal('enforce'), Type.Literal('shadow')], {
  description: '`shadow`: counts and reports, but refuses nothing. Default: `enforce`.',
});

export const Limit = Type.Object(
  {
    name: LimitName,
    rateLimit: RateLimit,
    rateLimitTtl: RateLimitTtl,
    per: Per,
    algorithm: Algorithm,
    mode: Mode,
  },
  { title: 'Limit' },
);
export type Limit = Static<typeof Limit>;

const LimitInput = strict(
  {
    name: LimitName,
    rateLimit: RateLimit,
    rateLimitTtl: RateLimitTtl,
    per: Type.Optional(Per),
    algorithm: Type.Optional(Algorithm),
    mode: Type.Optional(Mode),
  },
  'LimitInput',
);
export type LimitInput = Static<typeof LimitInput>;

export const LimitInputs = Type.Array(LimitInput, {
  maxItems: LIMITS_MAX,
  description: `Up to ${LIMITS_MAX} limits. A request must fit into all of them.`,
});

export const Limits = Type.Array(Limit, {
  maxItems: LIMITS_MAX,
  description: 'Limits that apply besides `rateLimitConfigs`.',
});
