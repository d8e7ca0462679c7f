import { type AddressRange, parseAddressRange } from '@keyward/rules/addresses.ts';
import { mergedLimits } from '@keyward/rules/limit-levels.ts';
import { Grants, NO_GRANTS } from '@keyward/rules/permissions.ts';
import type { Limit } from './schema.ts';

/** The levels on which settings can be made, the most specific first. */
export type Level = 'key' | 'customer' | 'plan';

/** The settings of the levels above a key, read together with the key. */
export interface UpperLevels {
  /** The key's plan, its customer's, or the default of the project. */
  readonly effective_plan_id: string | null;
  readonly plan_revision: number | null;
  readonly plan_permissions: string | null;
  readonly plan_limits: string | null;
  readonly plan_allowed_ips: string | null;
  readonly plan_credits: string | null;
  readonly customer_id: string | null;
  readonly customer_revision: number | null;
  readonly customer_plan_id: string | null;
  readonly customer_permissions: string | null;
  readonly customer_limits: string | null;
  readonly customer_allowed_ips: string | null;
  /** `resources` of the project. */
  readonly project_resources: string | null;
  readonly customer_anchor: number | null;
  readonly customer_created_at: number | null;
  /** `units` of the project. */
  readonly project_units: string | null;
  /** `notices` of the project. */
  readonly project_notices: string | null;
  /** The owners of the pools of credits, where there are pools. */
  readonly key_pool: string | null;
  readonly customer_pool: string | null;
}

/** A key without plan, customer and credits. */
export const NO_LEVELS: UpperLevels = {
  effective_plan_id: null,
  plan_revision: null,
  plan_permissions: null,
  plan_limits: null,
  plan_allowed_ips: null,
  plan_credits: null,
  customer_id: null,
  customer_revision: null,
  customer_plan_id: null,
  customer_permissions: null,
  customer_limits: null,
  customer_allowed_ips: null,
  project_resources: null,
  customer_anchor: null,
  customer_created_at: null,
  project_units: null,
  project_notices: null,
  key_pool: null,
  customer_pool: null,
};

/**
 * The time from which `anchor: "customer"` counts: that of the customer, or else its creation, or else the creation of
 * the first of the keys that were rotated.
 */
export const customerAnchor = (
  row: Pick<UpperLevels, 'customer_anchor' | 'customer_created_at'> & {
    readonly created_at: number;
    /** Null: that key was erased. */
    readonly first_created_at?: number | null;
  },
): number =>
  row.customer_anchor ?? row.customer_created_at ?? row.first_created_at ?? row.created_at;

/** The settings of a key itself. */
interface OwnLevel {
  readonly permissions: string | null;
  readonly limits: string | null;
  readonly allowed_ips: string | null;
}

/** What a key may do by its own settings, its customer and its plan. Shared by keys, and never changed. */
export interface EffectivePolicies {
  readonly planId: string | null;
  /** JSON, as stored; null: none. */
  readonly permissions: string | null;
  readonly grants: Grants;
  readonly allowedIPs: readonly (AddressRange & { readonly text: string })[] | null;
  readonly limits: readonly Limit[];
}

interface Settings {
  readonly level: Level;
  readonly permissions: string | null;
  readonly limits: string | null;
  readonly allowedIPs: string | null;
}

/** The most specific level first. */
const settingsOf = (row: OwnLevel & UpperLevels): readonly Settings[] => [
  { level: 'key', permissions: row.permissions, limits: row.limits, allowedIPs: row.allowed_ips },
  {
    level: 'customer',
    permissions: row.customer_permissions,
    limits: row.customer_limits,
    allowedIPs: row.customer_allowed_ips,
  },
  {
    level: 'plan',
    permissions: row.plan_permissions,
    limits: row.plan_limits,
    allowedIPs: row.plan_allowed_ips,
  },
];

const nearest = (levels: readonly Settings[], field: 'permissions' | 'allowedIPs') =>
  levels.find((each) => each[field] !== null);

const limitsOf = (levels: readonly Settings[]): ReadonlyMap<string, LimitOfLevel> =>
  mergedLimits(
    levels.toReversed().map(({ level, limits }) => ({
      level,
      limits: limits === null ? [] : (JSON.parse(limits) as Limit[]),
    })),
  );

interface LimitOfLevel {
  readonly limit: Limit;
  readonly level: Level;
}

const NO_POLICIES: EffectivePolicies = {
  planId: null,
  permissions: null,
  grants: NO_GRANTS,
  allowedIPs: null,
  limits: [],
};

export function effectivePolicies(row: OwnLevel & UpperLevels): EffectivePolicies {
  const levels = settingsOf(row);
  const planId = row.effective_plan_id;
  if (planId === null && levels.every(setsNothing)) return NO_POLICIES;
  const permissions = nearest(levels, 'permissions')?.permissions ?? null;
  const addresses = nearest(levels, 'allowedIPs')?.allowedIPs ?? null;
  return {
    planId,
    permissions,
    grants: permissions === null ? NO_GRANTS : new Grants(JSON.parse(permissions)),
    allowedIPs: addresses === null ? null : rangesOf(addresses),
    limits: [...limitsOf(levels).values()].map(({ limit }) => limit),
  };
}

const setsNothing = ({ permissions, limits, allowedIPs }: Settings): boolean =>
  permissions === null && limits === null && allowedIPs === null;

const rangesOf = (json: string) =>
  (JSON.parse(json) as string[]).map((text) => ({ ...parseAddressRange(text)!, text }));

/** The effective settings of a key, and the level that each comes from. Of the credits, only the level. */
export function describeLevels(row: OwnLevel & UpperLevels & { readonly plan_id: string | null }) {
  const levels = settingsOf(row);
  const limits = limitsOf(levels);
  const permissions = nearest(levels, 'permissions');
  const allowedIPs = nearest(levels, 'allowedIPs');
  return {
    planId: row.effective_plan_id,
    permissions: JSON.parse(permissions?.permissions ?? '[]') as string[],
    limits: [...limits.values()].map(({ limit }) => limit),
    allowedIPs: JSON.parse(allowedIPs?.allowedIPs ?? 'null') as string[] | null,
    levels: {
      planId: planLevel(row),
      permissions: permissions?.level ?? null,
      limits: Object.fromEntries([...limits].map(([name, { level }]) => [name, level])),
      credits: creditLevel(row),
      allowedIPs: allowedIPs?.level ?? null,
    },
  };
}

function planLevel(
  row: UpperLevels & { readonly plan_id: string | null },
): 'key' | 'customer' | 'project' | null {
  if (row.effective_plan_id === null) return null;
  if (row.plan_id !== null) return 'key';
  return row.customer_plan_id === null ? 'project' : 'customer';
}

/** The level whose credits pay for a key. */
export function creditLevel(row: UpperLevels): Level | null {
  if (row.key_pool !== null) return 'key';
  if (row.customer_pool !== null) return 'customer';
  return row.plan_credits === null ? null : 'plan';
}

/** Best-effort: if an entry is missing, keys share less and use more memory. */
const SHARED_MAX = 10_000;

/** Gives the same object to all keys that have the same plan and customer and set nothing themselves. */
export class SharedPolicies {
  readonly #shared = new Map<string, EffectivePolicies>();

  of(row: OwnLevel & UpperLevels): EffectivePolicies {
    if (row.permissions !== null || row.limits !== null || row.allowed_ips !== null)
      return effectivePolicies(row);
    // Customers without settings share what their plan gives.
    const isCustomerPlain =
      row.customer_permissions === null &&
      row.customer_limits === null &&
      row.customer_allowed_ips === null;
    if (row.effective_plan_id === null && isCustomerPlain) return NO_POLICIES;
    const customer = isCustomerPlain ? '' : `${row.customer_id} ${row.customer_revision}`;
    const name = `${row.effective_plan_id} ${row.plan_revision} ${customer}`;
    const known = this.#shared.get(name);
    if (known !== undefined) return known;
    if (this.#shared.size >= SHARED_MAX) this.#shared.clear();
    const policies = effectivePolicies(row);
    this.#shared.set(name, policies);
    return policies;
  }
}
