import { parseAddress } from '@keyward/rules/addresses.ts';
import type { Conditions } from '@keyward/rules/check-key.ts';
import { requirementOf, type ValidateOptions } from '../validation/validator.ts';

/** Throws a 400 if the required permissions are not valid. */
export function conditionsOf(options: ValidateOptions): Conditions {
  const { originDomain: origin, clientIP, permissions, cost = 1 } = options;
  return {
    origin,
    clientIP: typeof clientIP === 'string' ? parseAddress(clientIP) : null,
    requirement: requirementOf(permissions),
    cost,
  };
}
