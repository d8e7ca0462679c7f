import { parseAddress } from '@keyward/rules/addresses.ts';
import type { Conditions } from '@keyward/rules/check-key.ts';
import type { Cost } from '@keyward/rules/cost.ts';
import { requirementOf, type ValidateOptions } from '../validation/validator.ts';

/** What can be decided without the server, which alone knows the units of a project. */
export type LocalConditions = Conditions & { readonly cost: number };

export const isLocal = (
  conditions: Conditions & { readonly cost: Cost },
): conditions is LocalConditions => typeof conditions.cost === 'number';

/** Throws a 400 if the required permissions are not valid. */
export function conditionsOf(
  options: Omit<ValidateOptions, 'cost'>,
  cost: number,
): LocalConditions {
  const { originDomain: origin, clientIP, permissions, resource = null } = options;
  return {
    origin,
    clientIP: typeof clientIP === 'string' ? parseAddress(clientIP) : null,
    requirement: requirementOf(permissions),
    cost,
    resource,
  };
}
