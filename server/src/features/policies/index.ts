export { ChangeCounts } from './change-counts.ts';
export { counterSet, customerGroup, limitsOfKey } from './counter-sets.ts';
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
