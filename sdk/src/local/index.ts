export type { Accepted, Refused, Undecided, Validation } from '../validation/outcome.ts';
export type { ValidateOptions } from '../validation/validator.ts';
export { LocalKeyward, type LocalOptions } from './local-keyward.ts';
