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
  changedLevelColumns,
  DEFAULT_LIMIT,
  domainsText,
  levelColumns,
  levelRecord,
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
  levelFields,
  levelInput,
  Permissions,
  Tags,
} from './schema.ts';
