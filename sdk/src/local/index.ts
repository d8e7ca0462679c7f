export type { Accepted, Refused, Undecided, Validation } from '../validation/outcome.ts';
export type { ValidateOptions } from '../validation/validator.ts';
export { LocalKeyward } from './local-keyward.ts';
export type { LocalOptions } from './options.ts';
export type { KeyValues, WarmUpOptions, WarmUpProgress, WarmUpResult } from './warm-up.ts';
