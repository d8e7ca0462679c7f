import type { OptionSpecs, ValuesOf } from '../../command.ts';

/** Options of both validate and explain: the request that the key is used for. */
export const CONDITION_OPTIONS = {
  permission: {
    value: 'NAME',
    multiple: true,
    help: 'A permission that the key must have (repeatable: all of them)',
  },
  ip: { value: 'ADDRESS', help: 'The address the key is used from, for keys with --allow-ip' },
  origin: { value: 'HOST', help: 'The host the key is used from, for keys with --domain' },
} as const satisfies OptionSpecs;

export type ConditionValues = ValuesOf<typeof CONDITION_OPTIONS>;

export const missingText = (missing: readonly string[]): string[] =>
  missing.length === 0 ? [] : [`missing: ${missing.join(', ')}`];
