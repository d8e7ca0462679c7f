import { COST_MAX } from '@keyward/rules/cost.ts';
import Type from 'typebox';
import { Id, nullable, strict } from '../../../kernel/schemas.ts';
import { ValidatedKey } from '../../api-keys/index.ts';
import { CreditsLeft } from '../../credits/index.ts';
import { AllowedIPs, limitExtras } from '../../policies/index.ts';

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

const LeasedLimit = Type.Object(
  {
    name: Type.String({
      description: 'Name of the limit. `default`: the limit in `rateLimitConfigs`.',
    }),
    counter: Type.String({
      description: 'Keys with the same counter share their count, and can share leases.',
    }),
    limit: Type.Integer(),
    rateLimitTtl: Type.Integer({
      description: 'Length of the window in seconds; about the length if it has `interval`.',
    }),
    algorithm: Type.Union([Type.Literal('fixed'), Type.Literal('sliding')]),
    mode: Type.Union([Type.Literal('enforce'), Type.Literal('shadow')]),
    unit: limitExtras.unit,
    for: limitExtras.for,
    interval: limitExtras.interval,
    lease: nullable(
      Type.Object(
        {
          id: Type.String(),
          granted: Type.Integer({ minimum: 0 }),
          consumed: Type.Integer({
            description:
              'Requests counted in the window so far, including those granted by this lease.',
          }),
          resetInMs: Type.Integer(),
        },
        { title: 'LimitLease' },
      ),
    ),
  },
  { title: 'LeasedLimit' },
);

const LeasedCredits = Type.Object(
  {
    pool: Type.String({ description: 'Keys with the same pool share their credits and leases.' }),
    ...CreditsLeft.properties,
    lease: nullable(
      Type.Object(
        {
          id: Type.String(),
          granted: Type.Integer({ minimum: 1 }),
          endsInMs: Type.Integer({
            description: 'Credits that are not returned by then count as spent.',
          }),
        },
        { title: 'CreditLease' },
      ),
    ),
  },
  { title: 'LeasedCredits' },
);

/** The client counts durations (`…InMs`) from when it sent the request, so clocks need not agree. */
export const LeasedKey = Type.Object(
  {
    record: ValidatedKey,
    behindMs: Type.Integer({
      description: 'The response reflects every change made longer ago than this.',
    }),
    expiresInMs: nullable(Type.Integer()),
    lease: nullable({
      ...Lease,
      description: 'Without `policies`, if the key has a rate limit: the lease of its requests.',
    }),
    now: Type.Optional(
      Type.Integer({
        description:
          'The time of the response, in UTC epoch milliseconds. This field and those after it are present only with `policies`.',
      }),
    ),
    planId: Type.Optional(
      Type.String({ description: 'The plan of the key, as `GET /changes` names it.' }),
    ),
    customer: Type.Optional(
      Type.String({ description: 'The customer of the key, as `GET /changes` names it.' }),
    ),
    limits: Type.Optional(Type.Array(LeasedLimit)),
    credits: Type.Optional(LeasedCredits),
    allowedIPs: Type.Optional({
      ...AllowedIPs,
      description: 'Only if the key is restricted to some addresses.',
    }),
  },
  { title: 'LeasedKey' },
);

export const ReturnLeases = strict(
  {
    leases: Type.Array(
      strict({
        keyId: Id('key', 'the key'),
        leaseId: Id('lse', 'the lease'),
        unused: Type.Integer({ minimum: 0, maximum: COST_MAX }),
        counter: Type.Optional(
          Type.String({
            maxLength: 256,
            description:
              'For a lease in `limits`: the `counter` of that limit. Default: the counter of `rateLimitConfigs` of a key without `limits`.',
          }),
        ),
        pool: Type.Optional(
          Type.String({
            maxLength: 4096,
            description: 'For a lease of credits: the `pool` from the response that granted it.',
          }),
        ),
      }),
      { minItems: 1, maxItems: 300 },
    ),
  },
  'ReturnLeases',
);

export const ReturnedLeases = Type.Object(
  { returned: Type.Integer({ description: 'Requests and credits that are available again.' }) },
  { title: 'ReturnedLeases' },
);
