import type { Clock } from '../../kernel/clock.ts';
import { ERRORS, KeywardError } from '../../kernel/errors.ts';
import type { Answer } from '../../kernel/route.ts';
import { bodyHeaders } from './body-headers.ts';
import { type Caller, type Lookup, refusalOf, type Validator, type Verdict } from './validator.ts';

/** A batch of this size or less runs in one turn of the event loop. */
const SMALL_BATCH_MAX = 100;
/** Keys of a larger batch between which other requests get their turn. */
const SLICE_KEYS = 25;
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** More than a result takes besides its record. */
const RESULT_BYTES = 256;

/**
 * Validates several values, each as a single validation would: first all lookups, then the
 * decisions, so that a batch with too large a response is refused before it consumes anything.
 */
export async function validateBatch(
  { validator, clock }: { readonly validator: Validator; readonly clock: Clock },
  caller: Caller,
  values: readonly string[],
  origin: string | undefined,
): Promise<Answer> {
  const { version } = validator.cache;
  const found: Lookup[] = [];
  for (const slice of slicesOf(values)) {
    await validator.takeTurn(caller);
    found.push(...(await allOf(slice.map((value) => validator.find(caller, value)))));
  }
  const bytes = responseBytes(caller, found, origin, clock());
  if (bytes > RESPONSE_BYTES_MAX) throw new KeywardError('batch_too_large');

  const onDone = validator.reserveResponse(caller, bytes);
  try {
    const body = await decideAll({ validator, clock }, caller, values, found, version, origin);
    return { status: 200, headers: bodyHeaders(Buffer.byteLength(body)), body, onDone };
  } catch (error) {
    onDone();
    throw error;
  }
}

async function decideAll(
  { validator, clock }: { readonly validator: Validator; readonly clock: Clock },
  caller: Caller,
  values: readonly string[],
  found: readonly Lookup[],
  version: number,
  origin: string | undefined,
): Promise<string> {
  // A key may have changed since its lookup; then it is looked up again.
  const isCurrent = (key: Lookup) =>
    typeof key === 'string' || (version === validator.cache.version && !key.stale);
  const results: string[] = [];
  for (const slice of slicesOf(found)) {
    const start = results.length;
    if (start > 0) await validator.takeTurn(caller);
    const verdicts = await allOf(
      slice.map((key, n) =>
        isCurrent(key)
          ? validator.judge(caller, key, origin)
          : validator.validate(caller, values[start + n]!, origin),
      ),
    );
    const now = clock();
    for (const verdict of verdicts) results.push(resultText(verdict, now));
  }
  return `[${results.join(',')}]`;
}

function responseBytes(
  caller: Caller,
  found: readonly Lookup[],
  origin: string | undefined,
  now: number,
): number {
  let bytes = 0;
  for (const key of found) {
    const hasRecord = typeof key !== 'string' && refusalOf(caller, key, origin, now) === null;
    bytes += RESULT_BYTES + (hasRecord ? key.bodyBytes : 0);
  }
  return bytes;
}

function* slicesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  const size = items.length <= SMALL_BATCH_MAX ? SMALL_BATCH_MAX : SLICE_KEYS;
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** `Promise.all` only where it is needed: it costs as much for a value as for a promise. */
const allOf = <T>(items: readonly (T | Promise<T>)[]): readonly T[] | Promise<T[]> =>
  items.some((item) => item instanceof Promise) ? Promise.all(items) : (items as readonly T[]);

/** One result as JSON. The record is rendered already. */
export function resultText(verdict: Verdict, now: number): string {
  if (verdict.kind === 'refused')
    return `{"valid":false,"statusCode":${ERRORS[verdict.code][0]},"code":"${verdict.code}"}`;
  const { key, taken } = verdict;
  const start =
    verdict.kind === 'valid'
      ? `{"valid":true,"statusCode":200,"code":"valid","record":${key.body}`
      : '{"valid":false,"statusCode":429,"code":"rate_limited"';
  if (taken === null) return `${start}}`;
  const limit = key.rateLimit;
  const consumed = Math.min(taken.consumed, limit);
  const retryAfterSeconds = Math.max(0, taken.resetAt - now) / 1000;
  return `${start},"rateLimit":{"limit":${limit},"remaining":${limit - consumed},"consumed":${consumed},"reset":${Math.ceil(taken.resetAt / 1000)},"retryAfterSeconds":${retryAfterSeconds}}}`;
}
