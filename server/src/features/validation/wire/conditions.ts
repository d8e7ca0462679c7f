import { parseAddress } from '@keyward/rules/addresses.ts';
import type { Conditions } from '@keyward/rules/check-key.ts';
import {
  InvalidRequirement,
  type Requirement,
  readRequirement,
} from '@keyward/rules/permissions.ts';
import { type ErrorCode, KeywardError } from '../../../kernel/errors.ts';
import type { Call } from '../../../kernel/route.ts';

/** The conditions in a request, not yet parsed: fields of a body, or parameters of a query. */
interface ConditionsInput {
  readonly permissions?: unknown;
  readonly clientIP?: string | undefined;
  readonly cost?: number | undefined;
}

export function conditionsOf(call: Pick<Call, 'headers'>, input: ConditionsInput): Conditions {
  return {
    origin: originOf(call),
    clientIP: readAddress(input.clientIP, 'clientIP', 'invalid_body'),
    requirement: requirementOf(input.permissions, 'invalid_body'),
    cost: input.cost ?? 1,
  };
}

/** `ip`, `cost`, and `permission` once or several times. */
export function conditionsInQuery(
  call: Pick<Call, 'headers'>,
  { permission, ip, cost }: { permission?: readonly string[]; ip?: string; cost?: number },
): Conditions {
  return {
    origin: originOf(call),
    clientIP: readAddress(ip, 'ip', 'invalid_query'),
    requirement: requirementOf(permission, 'invalid_query'),
    cost: cost ?? 1,
  };
}

function originOf(call: Pick<Call, 'headers'>): string | undefined {
  const origin = call.headers['x-origin-domain'];
  return Array.isArray(origin) ? origin[0] : origin;
}

export function requirementOf(input: unknown, code: ErrorCode): Requirement | null {
  if (input === undefined) return null;
  try {
    return readRequirement(input);
  } catch (error) {
    if (error instanceof InvalidRequirement) throw new KeywardError(code, error.message);
    throw error;
  }
}

function readAddress(text: string | undefined, field: string, code: ErrorCode) {
  if (text === undefined) return null;
  const address = parseAddress(text);
  if (address === null)
    throw new KeywardError(
      code,
      `${field} must be an IP address alone, like 203.0.113.7 or 2001:db8::1.`,
    );
  return address;
}
