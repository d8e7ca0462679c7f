import { COST_MAX } from '@keyward/rules/cost.ts';
import Type, { type Static } from 'typebox';
import { strict } from '../../../kernel/schemas.ts';

/** A larger lease would take requests away from other processes and perhaps never use them. */
export const LEASE_MAX = 10_000;

/**
 * The most limits that apply to a key: its own, those of its customer and its plan, and `rateLimitConfigs`.
 */
const LIMITS_MAX = 25;

const wantedFields = {
  amount: Type.Integer({
    minimum: 0,
    maximum: COST_MAX,
    description:
      'How much to lease: at most 10,000, but at least `needed`. If both are 0, nothing is leased.',
  }),
  needed: Type.Integer({
    minimum: 0,
    maximum: COST_MAX,
    description: 'If less is left, nothing is leased and the response is the refusal.',
  }),
};

/** The fields of a validation that ask for leases. */
export const leaseFields = {
  lease: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LEASE_MAX,
      description:
        'With `key`, from 1: lease the key, to validate it in your own process and report its uses with `POST /usage`. Up to this many requests are taken from each limit of the key, and as many credits. With `keys`: 0, which takes nothing, with `policies` and without other fields.',
    }),
  ),
  policies: Type.Optional(
    Type.Boolean({
      description:
        'With `lease`: set to `true` if your process checks permissions, IP addresses, `limits` and credits itself. If not set, a key that has any of them, or `startsAt`, is not leased: the response is the record of the key without limits and credits, and nothing is counted.',
    }),
  ),
  accounting: Type.Optional(
    Type.Boolean({
      description:
        'With `policies`: set to `true` if your process also counts limits by unit, by resource and by the calendar. If not set, a key with such limits is not leased.',
    }),
  ),
  leases: Type.Optional(
    strict(
      {
        limits: Type.Optional(
          Type.Array(
            strict({ name: Type.String({ minLength: 1, maxLength: 32 }), ...wantedFields }),
            { maxItems: LIMITS_MAX },
          ),
        ),
        credits: Type.Optional(strict(wantedFields)),
      },
      'WantedLeases',
    ),
  ),
};

export type LeaseInput = Static<ReturnType<typeof inputSchema>>;
const inputSchema = () => Type.Object(leaseFields);
