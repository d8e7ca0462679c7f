import {
  type CounterLimit,
  type CounterState,
  knownCount,
} from '../../cluster/counters/counters.ts';
import type { PortalPrincipal } from '../../kernel/authority.ts';
import { rotation } from '../../kernel/schemas.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time/clock.ts';
import type { KeyFields } from '../api-keys/index.ts';
import type { Credits } from '../credits/index.ts';
import {
  counterSet,
  creditLevel,
  customerGroup,
  effectivePolicies,
  limitsOfKey,
  type UpperLevels,
} from '../policies/index.ts';
import type { PortalApiKey, PortalLimits } from './schema.ts';

/**
 * What a customer sees of a key: nothing that the account keeps for itself. Limits and credits are shown
 * only if the session allows `usage:read`. `value` is given for a new key; other keys show their mask.
 */
export function portalKey(
  { actions }: PortalPrincipal,
  row: KeyFields & UpperLevels,
  credits: Credits | null,
  value?: string,
): PortalApiKey {
  const { permissions } = effectivePolicies(row);
  const showsUsage = actions.has('usage:read');
  return {
    id: row.id,
    name: row.name,
    key: value ?? row.mask,
    env: row.env,
    isActive: row.is_active === 1,
    startsAt: isoTimeOrNull(row.starts_at),
    expiresAt: isoTimeOrNull(row.expires_at),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
    permissions: permissions === null ? [] : JSON.parse(permissions),
    limits: showsUsage ? limitsOf(row).map(limitRecord) : null,
    credits: showsUsage && credits ? { ...credits, isShared: creditLevel(row) !== 'key' } : null,
    ...rotation(row),
  };
}

const limitRecord = ({ name, limit, isShared }: AppliedLimit) => ({
  name,
  rateLimit: limit.limit,
  rateLimitTtl: limit.ttlMs / 1000,
  isShared,
});

export interface AppliedLimit {
  readonly name: string;
  readonly limit: CounterLimit;
  /** The group of the counter, as in `CounterSet`. */
  readonly group: string;
  /** All keys of the customer count in it. */
  readonly isShared: boolean;
}

/** The columns of a key that its limits depend on. */
type LimitedKey = Parameters<typeof effectivePolicies>[0] &
  Parameters<typeof limitsOfKey>[0] & {
    readonly limit_group: string;
    readonly project_id: string;
    readonly custom_account_id: string | null;
  };

/** The limits that can reject requests of a key, `default` first. Limits in shadow mode cannot. */
export function limitsOf(row: LimitedKey): readonly AppliedLimit[] {
  const limits = limitsOfKey(row, effectivePolicies(row).limits);
  const { project_id, custom_account_id, limit_group } = row;
  const customer = custom_account_id === null ? null : customerGroup(project_id, custom_account_id);
  const { set, names } = counterSet(limit_group, limits, customer);
  return set.limits.flatMap((limit, n) =>
    limit.isEnforced
      ? {
          name: names[n]!,
          limit,
          group: set.group,
          isShared: limit.counter === `${customer}:${names[n]}`,
        }
      : [],
  );
}

/** A limit in the response of `GET /portal/limits`. */
export const limitState = (
  { name, limit }: AppliedLimit,
  keyId: string | null,
  state: CounterState,
): PortalLimits['limits'][number] => ({
  name,
  rateLimit: limit.limit,
  rateLimitTtl: limit.ttlMs / 1000,
  keyId,
  remaining: Math.max(0, limit.limit - state.consumed),
  resetAt: knownCount(state) === 0 ? null : isoTime(Math.ceil(state.resetAt)),
});
