export type { KeyOutcome } from './outcomes.ts';
export { UsageTally } from './usage-tally.ts';
export { UsedAccessKey, UsedKey } from './used.ts';
