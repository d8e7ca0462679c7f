export { ChangeCounts } from './change-counts.ts';
export {
  type CountedBy,
  counterName,
  counterSet,
  customerGroup,
  limitsOfKey,
} from './counter-sets.ts';
export {
  creditLevel,
  customerAnchor,
  describeLevels,
  type EffectivePolicies,
  effectivePolicies,
  type Level,
  NO_LEVELS,
  SharedPolicies,
  type UpperLevels,
} from './levels.ts';
export { requirePlan } from './require-plan.ts';
export { countsUnits, requireUnits } from './require-units.ts';
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
  LimitSize,
  Limits,
  LimitWindow,
  limitExtras,
  Permissions,
  Tags,
} from './schema.ts';
