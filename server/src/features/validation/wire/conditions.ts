import { parseAddress } from '@keyward/rules/addresses.ts';
import type { Conditions } from '@keyward/rules/check-key.ts';
import { type Cost, InvalidCost, readCost, readCostText } from '@keyward/rules/cost.ts';
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
  readonly cost?: unknown;
  readonly resource?: string | undefined;
}

export function conditionsOf(call: Pick<Call, 'headers'>, input: ConditionsInput): Conditions {
  return {
    origin: originOf(call),
    clientIP: readAddress(input.clientIP, 'clientIP', 'invalid_body'),
    requirement: requirementOf(input.permissions, 'invalid_body'),
    cost: costIn(input.cost, 'cost'),
    resource: input.resource ?? null,
  };
}

interface ConditionsQuery {
  readonly permission?: readonly string[];
  readonly ip?: string;
  readonly cost?: string;
  readonly resource?: string;
}

/** `ip`, `cost`, `resource`, and `permission` once or several times. `leastCost`: if the cost is one number. */
export function conditionsInQuery(
  call: Pick<Call, 'headers'>,
  { permission, ip, cost, resource }: ConditionsQuery,
  leastCost = 0,
): Conditions {
  return {
    origin: originOf(call),
    clientIP: readAddress(ip, 'ip', 'invalid_query'),
    requirement: requirementOf(permission, 'invalid_query'),
    cost:
      cost === undefined
        ? 1
        : orRejected('cost', 'invalid_query', () => readCostText(cost, leastCost)),
    resource: resource ?? null,
  };
}

/** The cost in a body; `field` names it for errors. */
export const costIn = (cost: unknown, field: string): Cost =>
  cost === undefined ? 1 : orRejected(field, 'invalid_body', () => readCost(cost));

function orRejected(field: string, code: ErrorCode, read: () => Cost): Cost {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidCost) throw new KeywardError(code, `${field} ${error.message}.`);
    throw error;
  }
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
