import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type ErrorCode, KeywardError } from '../../kernel/errors.ts';
import { type Call, Written } from '../../kernel/route.ts';
import type { HeldAccessKey } from '../access-keys/index.ts';
import { verdictAnswer } from './answer.ts';
import type { Asker, Validator } from './validator.ts';

export interface ValidationParts {
  readonly validator: Validator;
  readonly clock: Clock;
}

export const VALIDATION_ERRORS: readonly ErrorCode[] = [
  'key_not_found',
  'key_malformed',
  'key_revoked',
  'key_expired',
  'key_project_inactive',
  'domain_denied',
  'rate_limited',
];

export async function answerOne(
  parts: ValidationParts,
  call: Call,
  value: string,
): Promise<Written> {
  const asker = askerOf(call.actor);
  const verdict = await parts.validator.validate(asker, value, originOf(call));
  return new Written(verdictAnswer(verdict, call.actor.requestId, parts.clock()));
}

export function originOf(call: Call): string | undefined {
  const origin = call.headers['x-origin-domain'];
  return Array.isArray(origin) ? origin[0] : origin;
}

/** Only access keys validate: keys belong to an account, and the operator to none. */
export function askerOf(actor: Actor): Asker {
  if (actor.principal.kind === 'operator') throw new KeywardError('scope_missing');
  return actor.principal as HeldAccessKey;
}
