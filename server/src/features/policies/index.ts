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
  changedLevelColumns,
  DEFAULT_LIMIT,
  levelColumns,
  levelRecord,
  listOrNull,
  listText,
  tagsText,
} from './rules.ts';
export {
  AllowedIPs,
  Limit,
  levelFields,
  levelInput,
  Permissions,
  Tags,
} from './schema.ts';
