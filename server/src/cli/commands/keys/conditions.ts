import type { OptionSpecs, ValuesOf } from '../../command.ts';
import { readCostOption, withoutUndefined } from '../../values.ts';

/** Options of both validate and explain: the request that the key is used for. */
export const CONDITION_OPTIONS = {
  permission: {
    value: 'NAME',
    multiple: true,
    help: 'A permission that the key must have (repeatable; it must have all of them)',
  },
  ip: { value: 'ADDRESS', help: 'The address the key is used from, for keys with --allow-ip' },
  origin: { value: 'HOST', help: 'The host the key is used from, for keys with --domain' },
  cost: {
    value: 'COST',
    help: 'What the request takes from limits and credits: a number, or amounts of units like tokens:1200,credits:3. 0: only check. Default: 1',
  },
  resource: {
    value: 'NAME',
    help: 'What the request is about, for limits that apply only to some requests: POST:/v1/chat',
  },
} as const satisfies OptionSpecs;

export type ConditionValues = ValuesOf<typeof CONDITION_OPTIONS>;

/** The fields of the body. `origin` is missing, because the two operations take it in different places. */
export const conditionFields = ({ permission, ip, cost, resource }: ConditionValues) =>
  withoutUndefined({
    permissions: permission,
    clientIP: ip,
    cost: cost === undefined ? undefined : readCostOption(cost),
    resource,
  });

export const missingText = (missing: readonly string[]): string[] =>
  missing.length === 0 ? [] : [`missing: ${missing.join(', ')}`];
