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
  counterName,
  counterSet,
  creditLevel,
  customerAnchor,
  customerGroup,
  effectivePolicies,
  type Limit,
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

const limitRecord = ({ settings, isShared }: AppliedLimit) => ({
  ...shownOf(settings),
  isShared,
});

/** What a customer sees of a limit. */
function shownOf(limit: Limit) {
  const { name, rateLimit, rateLimitTtl, unit, for: patterns, interval, timezone } = limit;
  return {
    name,
    rateLimit,
    ...(rateLimitTtl !== undefined && { rateLimitTtl }),
    ...(unit !== undefined && { unit }),
    ...(patterns !== undefined && { for: patterns }),
    ...(interval !== undefined && { interval }),
    ...(timezone !== undefined && { timezone }),
  };
}

export interface AppliedLimit {
  readonly settings: Limit;
  readonly limit: CounterLimit;
  /** The group of the counter, as in `CounterSet`. */
  readonly group: string;
  /** All keys of the customer count in it. */
  readonly isShared: boolean;
}

/** The columns of a key that its limits depend on. */
type LimitedKey = Parameters<typeof effectivePolicies>[0] &
  Parameters<typeof customerAnchor>[0] &
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
  const { set } = counterSet(limit_group, limits, customer, customerAnchor(row));
  return set.limits.flatMap((limit, n) =>
    limit.isEnforced
      ? {
          settings: limits[n]!,
          limit,
          group: set.group,
          isShared: limit.counter === `${customer}:${counterName(limits[n]!)}`,
        }
      : [],
  );
}

/** A limit in the response of `GET /portal/limits`. */
export const limitState = (
  { settings, limit }: AppliedLimit,
  keyId: string | null,
  state: CounterState,
): PortalLimits['limits'][number] => ({
  ...shownOf(settings),
  keyId,
  remaining: Math.max(0, limit.limit - state.consumed),
  resetAt: knownCount(state) === 0 ? null : isoTime(Math.ceil(state.resetAt)),
});
