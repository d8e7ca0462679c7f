import type { Conditions } from '@keyward/rules/check-key.ts';
import type { Actor } from '../../kernel/actor.ts';
import { type Tenant, tenantOf } from '../../kernel/authority.ts';
import type { WriteErrorBody } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { type Call, RawResponse } from '../../kernel/route.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { CachedAccessKey } from '../access-keys/index.ts';
import { UsedAccessKey } from '../analytics/index.ts';
import type { Validator } from './validator.ts';
import type { Caller } from './verdict.ts';
import { acceptanceResponse, type RefusalResponses } from './wire/responses.ts';

export interface ValidationParts {
  readonly validator: Validator;
  readonly clock: Clock;
  readonly ids: MakeId;
  readonly errorBody: WriteErrorBody;
  readonly refusals: RefusalResponses;
}

export async function validateOne(
  parts: ValidationParts,
  call: Call,
  value: string,
  conditions: Conditions,
): Promise<RawResponse> {
  const caller = callerOf(call.actor);
  const verdict = await parts.validator.validate(caller, value, conditions);
  const now = parts.clock();
  return new RawResponse(
    verdict.kind === 'valid'
      ? acceptanceResponse(verdict, now)
      : parts.refusals.of(verdict, call.actor.requestId, now),
  );
}

/** A person who tries a key in the dashboard. The use is counted for the key, not for an access key. */
class PersonCaller extends UsedAccessKey implements Caller {
  readonly seq = 0;
  /** Always true, so that the tally never queues this caller: a person has no access key to count uses for. */
  override dirty = true;
  readonly accountId: string;
  readonly projectIds: readonly string[] | null;

  constructor(tenant: Tenant) {
    super();
    this.accountId = tenant.accountId;
    this.projectIds = tenant.projectIds;
  }
}

/** Throws for the operator, who belongs to no account. */
export function callerOf({ principal }: Actor): Caller {
  if (principal.kind === 'access-key') return principal as CachedAccessKey;
  return new PersonCaller(tenantOf(principal));
}
