import Type from 'typebox';
import { defineRoute } from '../../../kernel/route.ts';
import { Id, strict } from '../../../kernel/schemas.ts';
import { LEASE_MAX } from '../lease-answer.ts';
import type { LeaseReturns } from '../lease-returns.ts';
import { callerOf } from '../validate-one.ts';

const Body = strict(
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

const Returned = Type.Object(
  { returned: Type.Integer({ description: 'Requests that others can have now.' }) },
  { title: 'ReturnedLeases' },
);

export const returnLeases = (returns: LeaseReturns) =>
  defineRoute({
    method: 'POST',
    path: '/api-keys/leases/return',
    operationId: 'returnLeases',
    tag: 'api-keys',
    summary: 'Give back what was not used of leases',
    description:
      'Into the same window, while it is open; each lease once, and never more than it granted. Whatever else is said of a lease is passed over.',
    access: 'keys:validate',
    unmetered: true,
    body: Body,
    reply: Returned,
    status: 200,
    handle: async (call) => ({
      returned: await returns.take(callerOf(call.actor), call.body.leases),
    }),
  });
