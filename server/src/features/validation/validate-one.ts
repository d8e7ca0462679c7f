import type { Actor } from '../../kernel/actor.ts';
import { type Tenant, tenantOf } from '../../kernel/authority.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { type Call, Written } from '../../kernel/route.ts';
import type { HeldAccessKey } from '../access-keys/index.ts';
import { UsedAccessKey } from '../analytics/index.ts';
import { verdictAnswer } from './answer.ts';
import type { Asker, Validator } from './validator.ts';

export interface ValidationParts {
  readonly validator: Validator;
  readonly clock: Clock;
  readonly ids: MakeId;
}

export const VALIDATION_ERRORS: readonly ErrorCode[] = [
  'key_not_found',
  'key_malformed',
  'key_revoked',
  'key_expired',
  'key_project_inactive',
  'domain_denied',
  'rate_limited',
];

export async function answerOne(
  parts: ValidationParts,
  call: Call,
  value: string,
): Promise<Written> {
  const asker = askerOf(call.actor);
  const verdict = await parts.validator.validate(asker, value, originOf(call));
  return new Written(verdictAnswer(verdict, call.actor.requestId, parts.clock()));
}

export function originOf(call: Call): string | undefined {
  const origin = call.headers['x-origin-domain'];
  return Array.isArray(origin) ? origin[0] : origin;
}

/** A person who tries a key. Counted on the key alone: there is no access key to count on. */
class PersonAsking extends UsedAccessKey implements Asker {
  readonly seq = 0;
  /** As if it stood in the list of the next flush already, so that it never comes there. */
  override dirty = true;
  readonly accountId: string;
  readonly projectIds: readonly string[] | null;

  constructor(tenant: Tenant) {
    super();
    this.accountId = tenant.accountId;
    this.projectIds = tenant.projectIds;
  }
}

/** Keys belong to an account, and the operator to none. */
export function askerOf({ principal }: Actor): Asker {
  if (principal.kind === 'access-key') return principal as HeldAccessKey;
  return new PersonAsking(tenantOf(principal));
}
