export { ChangeCounts } from './change-counts.ts';
export { allLimits, counterSet, customerGroup } from './counter-sets.ts';
export {
  creditLevel,
  describeLevels,
  type EffectivePolicies,
  effectivePolicies,
  type Level,
  NO_LEVELS,
  SharedPolicies,
  type UpperLevels,
} from './levels.ts';
export { requirePlan } from './require-plan.ts';
export {
  addressesText,
  DEFAULT_LIMIT,
  domainsText,
  limitsText,
  listOrNull,
  listText,
  permissionsText,
  tagsText,
} from './rules.ts';
export {
  AllowedDomains,
  AllowedIPs,
  Limit,
  LimitInputs,
  Limits,
  Permissions,
  Tags,
} from './schema.ts';
