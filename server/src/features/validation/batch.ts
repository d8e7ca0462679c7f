import Type from 'typebox';
import { ValidatedKey } from '../api-keys/index.ts';
import type { PreparedKey } from './prepared-key.ts';
import type { Asker, Validator, Verdict } from './validator.ts';

const RateLimitState = Type.Object(
  {
    limit: Type.Integer(),
    remaining: Type.Integer(),
    consumed: Type.Integer(),
    reset: Type.Integer({ description: 'UTC epoch seconds.' }),
    retryAfterSeconds: Type.Number(),
  },
  { title: 'RateLimitState' },
);

export const BatchResult = Type.Object(
  {
    valid: Type.Boolean(),
    statusCode: Type.Integer({ description: 'What the single form would have answered.' }),
    code: Type.String({ description: '`valid`, or the code of the error.' }),
    record: Type.Optional(ValidatedKey),
    rateLimit: Type.Optional(RateLimitState),
  },
  { title: 'BatchResult' },
);

export const BATCH_MAX = 1000;

/** Looked at together: one after the other each would wait for Redis, or for the database. */
const AT_ONCE = 100;

/** Several verdicts in the order asked; at once where none of them has to be waited for. */
export function judgeEach(
  count: number,
  judge: (n: number) => Verdict | Promise<Verdict>,
): Verdict[] | Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let n = 0; n < count; n++) {
    const verdict = judge(n);
    if (verdict instanceof Promise) return judgeRest(verdicts, verdict, count, judge);
    verdicts.push(verdict);
  }
  return verdicts;
}

async function judgeRest(
  verdicts: Verdict[],
  first: Promise<Verdict>,
  count: number,
  judge: (n: number) => Verdict | Promise<Verdict>,
): Promise<Verdict[]> {
  let waiting: (Verdict | Promise<Verdict>)[] = [first];
  for (let n = verdicts.length + 1; n < count; n++) {
    waiting.push(judge(n));
    if (waiting.length < AT_ONCE) continue;
    verdicts.push(...(await Promise.all(waiting)));
    waiting = [];
  }
  verdicts.push(...(await Promise.all(waiting)));
  return verdicts;
}

/**
 * Several keys of which memory held some a moment ago. What was found there holds for this turn
 * alone: whatever is judged after a wait is looked up again, since a change may have come meanwhile.
 */
export function judgeHeld(batch: {
  readonly validator: Validator;
  readonly asker: Asker;
  readonly held: readonly (PreparedKey | undefined)[];
  readonly valueAt: (n: number) => string;
  readonly origin: string | undefined;
  readonly now: number;
}): Verdict[] | Promise<Verdict[]> {
  const { validator, asker, held, valueAt, origin, now } = batch;
  let isThisTurn = true;
  const verdicts = judgeEach(held.length, (n) => {
    const key = isThisTurn ? held[n] : undefined;
    return key === undefined
      ? validator.validate(asker, valueAt(n), origin)
      : validator.validateHeld(asker, key, origin, now);
  });
  isThisTurn = false;
  return verdicts;
}
