import Type from 'typebox';
import type { Clock } from '../../kernel/clock.ts';
import { ERRORS } from '../../kernel/errors.ts';
import type { Answer } from '../../kernel/route.ts';
import { ValidatedKey } from '../api-keys/index.ts';
import { bodyHeaders } from './body-headers.ts';
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

export interface Batch {
  readonly validator: Validator;
  readonly clock: Clock;
  readonly asker: Asker;
  readonly keys: readonly string[];
  readonly origin: string | undefined;
}

/** What each of several keys would have got, in the order asked; at once where all of them are at hand. */
export function answerBatch(batch: Batch): Answer | Promise<Answer> {
  const { validator, clock, asker, keys, origin } = batch;
  const results = new BatchResults(clock);
  const now = clock();
  const held = validator.held(asker, keys);
  for (let n = 0; n < keys.length; n++) {
    const key = held[n];
    const verdict =
      key === undefined
        ? validator.validate(asker, keys[n]!, origin)
        : validator.validateHeld(asker, key, origin, now);
    if (verdict instanceof Promise) return answerRest(batch, results, verdict, n + 1);
    results.add(verdict);
  }
  return results.answer();
}

async function answerRest(
  { validator, asker, keys, origin }: Batch,
  results: BatchResults,
  first: Promise<Verdict>,
  start: number,
): Promise<Answer> {
  let asked: (Verdict | Promise<Verdict>)[] = [first];
  for (let from = start; asked.length > 0; from += AT_ONCE) {
    const next = keys.slice(from, from + AT_ONCE);
    if (from === start) asked.push(...next.map((key) => validator.validate(asker, key, origin)));
    else asked = next.map((key) => validator.validate(asker, key, origin));
    for (const verdict of await Promise.all(asked)) results.add(verdict);
  }
  return results.answer();
}

class BatchResults {
  readonly #clock: Clock;
  #text = '';
  #isAscii = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(verdict: Verdict): void {
    const result = batchResult(verdict, this.#clock());
    this.#text += this.#text === '' ? result : `,${result}`;
    if (verdict.kind === 'valid' && verdict.key.encoding !== 'latin1') this.#isAscii = false;
  }

  answer(): Answer {
    const body = `[${this.#text}]`;
    const length = this.#isAscii ? body.length : Buffer.byteLength(body);
    const encoding = this.#isAscii ? 'latin1' : 'utf8';
    return { status: 200, headers: bodyHeaders(String(length)), body, encoding };
  }
}

/** One result as JSON text: the record is written already, so that nothing is parsed to be written again. */
function batchResult(verdict: Verdict, now: number): string {
  if (verdict.kind === 'refused')
    return `{"valid":false,"statusCode":${ERRORS[verdict.code][0]},"code":"${verdict.code}"}`;
  const limit = verdict.taken === null ? '' : `,"rateLimit":${limitState(verdict, now)}`;
  return verdict.kind === 'limited'
    ? `{"valid":false,"statusCode":429,"code":"rate_limited"${limit}}`
    : `{"valid":true,"statusCode":200,"code":"valid","record":${verdict.key.body}${limit}}`;
}

function limitState(verdict: Exclude<Verdict, { kind: 'refused' }>, now: number): string {
  const { rateLimit } = verdict.key;
  const { consumed, resetAt } = verdict.taken!;
  const counted = Math.min(consumed, rateLimit);
  const reset = Math.ceil(resetAt / 1000);
  const wait = seconds(Math.max(0, resetAt - now));
  return `{"limit":${rateLimit},"remaining":${rateLimit - counted},"consumed":${counted},"reset":${reset},"retryAfterSeconds":${wait}}`;
}

/** What stands behind the point for so many milliseconds, as JSON writes numbers. */
const THOUSANDTHS = Array.from({ length: 1000 }, (_, ms) => String(ms / 1000).slice(1));

/** Milliseconds as seconds: put together it takes a fifth of what writing a fraction does. */
const seconds = (ms: number): string =>
  Number.isInteger(ms) ? Math.floor(ms / 1000) + THOUSANDTHS[ms % 1000]! : String(ms / 1000);
