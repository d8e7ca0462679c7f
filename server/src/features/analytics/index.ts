export { UsageTally, type UsedAccessKey, type UsedKey } from './usage-tally.ts';
