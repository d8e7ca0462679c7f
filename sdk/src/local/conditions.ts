import { type Address, parseAddress } from '@keyward/rules/addresses.ts';
import type { Requirement } from '@keyward/rules/permissions.ts';
import { requirementOf, type ValidateOptions } from '../validation/validator.ts';

/** Properties of a request, and what it requires of the key. */
export interface Conditions {
  /** The domain that the request comes from. */
  readonly origin: string | undefined;
  /** Null: unknown, so that keys with `allowedIPs` are refused. */
  readonly clientIP: Address | null;
  readonly requirement: Requirement | null;
  readonly cost: number;
}

export const NO_CONDITIONS: Conditions = {
  origin: undefined,
  clientIP: null,
  requirement: null,
  cost: 1,
};

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
