import { PERMISSION_LENGTH_MAX, PERMISSIONS_MAX } from '@keyward/rules/permissions.ts';
import { PATTERNS_MAX, RESOURCE_LENGTH_MAX } from '@keyward/rules/request-resource.ts';
import Type, { type Static } from 'typebox';
import { MAX_TTL_SECONDS, strict } from '../../kernel/schemas.ts';

/** Limits of one plan, customer or key. */
const LIMITS_MAX = 8;

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

/** What can be counted in a window of 31 days with the largest costs. */
const LIMIT_SIZE_MAX = 1_000_000_000_000;

export const LimitSize = Type.Integer({
  minimum: 1,
  maximum: LIMIT_SIZE_MAX,
  description: 'How much is permitted in a window: requests, or the unit of the limit.',
});

export const LimitWindow = Type.Integer({
  minimum: 1,
  maximum: MAX_TTL_SECONDS,
  description:
    'Length of the window in seconds; it opens at the first request. A limit has either this or `interval`.',
});

/** Fields of a limit that are left out of responses if they are not set. */
export const limitExtras = {
  unit: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 32,
      description:
        'What the limit counts: a unit that the project declares in `units`. Default: `requests`.',
      examples: ['tokens'],
    }),
  ),
  for: Type.Optional(
    Type.Array(
      Type.String({ minLength: 1, maxLength: RESOURCE_LENGTH_MAX, examples: ['POST:/v1/chat*'] }),
      {
        minItems: 1,
        maxItems: PATTERNS_MAX,
        description:
          'The limit applies only to requests whose `resource` matches one of these: exactly, or with `*` at the end. They share one count, which stays when this list changes. `*` alone matches requests without `resource` too.',
      },
    ),
  ),
  interval: Type.Optional(
    Type.Union([Type.Literal('day'), Type.Literal('week'), Type.Literal('month')], {
      description:
        'In place of `rateLimitTtl`: the window is a day, week or month of the calendar. Weeks begin on Monday. Only with the algorithm `fixed`.',
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'With `interval`: the IANA name of its time zone. Default: `UTC`.',
      examples: ['Europe/Berlin'],
    }),
  ),
  anchor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'With `interval`: a date and time at which one of the windows begins. Days, weeks and months are counted from it in local time of `timezone`: 31 January is followed by 28 February, and that by 31 March. `customer`: the `anchor` of the customer, or else its creation, or else the creation of the first of the keys that were rotated. A new zone or anchor acts from the next window. Default: the calendar.',
      examples: ['2030-01-15T00:00:00.000Z', 'customer'],
    }),
  ),
};

export const Limit = Type.Object(
  {
    name: LimitName,
    rateLimit: LimitSize,
    rateLimitTtl: Type.Optional(LimitWindow),
    per: Per,
    algorithm: Algorithm,
    mode: Mode,
    ...limitExtras,
  },
  { title: 'Limit' },
);
export type Limit = Static<typeof Limit>;

const LimitInput = strict(
  {
    name: LimitName,
    rateLimit: LimitSize,
    rateLimitTtl: Type.Optional(LimitWindow),
    per: Type.Optional(Per),
    algorithm: Type.Optional(Algorithm),
    mode: Type.Optional(Mode),
    ...limitExtras,
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
