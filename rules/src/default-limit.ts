/** The name of the limit in `rateLimitConfigs`. No other limit may have it. */
export const DEFAULT_LIMIT = 'default';

/** `rateLimitConfigs`: a limit without name. */
interface Configs {
  readonly rateLimit: number;
  readonly rateLimitTtl: number;
}

interface Limit {
  readonly name: string;
  readonly rateLimit: number;
  readonly per: 'key' | 'customer';
  readonly algorithm: 'fixed' | 'sliding';
  readonly mode: 'enforce' | 'shadow';
}

/** `rateLimitConfigs` as a limit, then `limits`. */
export const allLimits = <L extends Limit>(
  configs: Configs | null,
  limits: readonly L[],
): readonly (L | (Limit & Configs))[] =>
  configs === null
    ? limits
    : [
        { name: DEFAULT_LIMIT, ...configs, per: 'key', algorithm: 'fixed', mode: 'enforce' },
        ...limits,
      ];

/**
 * Whether a key has `limits`, and not only `rateLimitConfigs`. Only then do responses list the limits by name. Called
 * several times for each validation, so it compares no more than it must: `default` is always the first.
 */
export const hasNamedLimits = (names: readonly string[]): boolean =>
  names.length > 1 || (names.length === 1 && names[0] !== DEFAULT_LIMIT);
