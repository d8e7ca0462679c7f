import type { Conditions } from '@keyward/rules/check-key.ts';
import { hasNamedLimits } from '@keyward/rules/default-limit.ts';
import { PERMISSION_LENGTH_MAX, REQUIRED_MAX } from '@keyward/rules/permissions.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { RouteResponse } from '../../kernel/route.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { PreparedKey } from './prepared-key.ts';
import type { Validator } from './validator.ts';
import { type Caller, type Lookup, refusalOf, rejectUndeclaredUnits } from './verdict.ts';
import type { Batch } from './wire/body-form.ts';
import { bodyHeaders } from './wire/body-headers.ts';
import { resultText } from './wire/responses.ts';

/** A batch of this size or less is one slice. */
const SMALL_BATCH_MAX = 100;
/** Keys in a slice of a larger batch; between slices, other requests get their turn. */
const SLICE_KEYS = 25;
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** About the most that a result takes besides its record. */
const RESULT_BYTES = 256;
/** The most that the result of a limit takes. */
const LIMIT_BYTES = 160;
/** The most that a list of missing permissions takes. */
const MISSING_BYTES = 2 * REQUIRED_MAX * (PERMISSION_LENGTH_MAX + 3);

/**
 * Validates several values, each as in a single validation. All lookups come before the first decision, so
 * that a batch with too large a response is rejected before it consumes anything.
 */
export async function validateBatch(
  { validator, clock }: { readonly validator: Validator; readonly clock: Clock },
  caller: Caller,
  batch: Batch,
): Promise<RouteResponse> {
  const { version } = validator.cache;
  const found: Lookup[] = [];
  for (const slice of slicesOf(batch.values)) {
    await validator.takeTurn(caller);
    found.push(...(await allOf(slice.map((value) => validator.find(caller, value)))));
  }
  const bytes = responseBytes(caller, found, batch, clock());
  return heldResponse(validator, caller, bytes, () =>
    decideAll({ validator, clock }, caller, batch, found, version),
  );
}

/** A response of about `bytes`, which counts among those of its account until it has been sent. */
export async function heldResponse(
  validator: Validator,
  caller: Caller,
  bytes: number,
  build: () => Promise<string>,
): Promise<RouteResponse> {
  if (bytes > RESPONSE_BYTES_MAX) throw new KeywardError('batch_too_large');
  const held = await validator.reserveResponse(caller, bytes);
  try {
    const body = await build();
    const length = Buffer.byteLength(body);
    held.send(length);
    return { status: 200, headers: bodyHeaders(length), body, onDone: held.release };
  } catch (error) {
    held.release();
    throw error;
  }
}

async function decideAll(
  { validator, clock }: { readonly validator: Validator; readonly clock: Clock },
  caller: Caller,
  batch: Batch,
  found: readonly Lookup[],
  version: number,
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
          ? validator.decide(caller, key, conditionsAt(batch, start + n))
          : validator.validate(caller, batch.values[start + n]!, conditionsAt(batch, start + n)),
      ),
    );
    const now = clock();
    for (const verdict of verdicts) results.push(resultText(verdict, now));
  }
  return `[${results.join(',')}]`;
}

/**
 * Estimate of the size of the response: rather too large than too small. Throws if a cost has units that are not
 * declared.
 */
function responseBytes(
  caller: Caller,
  found: readonly Lookup[],
  batch: Batch,
  now: number,
): number {
  let bytes = 0;
  for (const [n, key] of found.entries()) {
    const conditions = conditionsAt(batch, n);
    const refusal = refusalOf(caller, key, conditions, now);
    rejectUndeclaredUnits(key, refusal, conditions.cost);
    bytes += RESULT_BYTES;
    if (refusal === null) {
      const { bodyBytes, limitNames } = key as PreparedKey;
      bytes += bodyBytes + (hasNamedLimits(limitNames) ? LIMIT_BYTES * limitNames.length : 0);
    }
    if (refusal === 'permission_denied') bytes += MISSING_BYTES;
  }
  return bytes;
}

const conditionsAt = ({ conditions }: Batch, n: number): Conditions =>
  'origin' in conditions ? conditions : conditions[n]!;

export function* slicesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  const size = items.length <= SMALL_BATCH_MAX ? SMALL_BATCH_MAX : SLICE_KEYS;
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** `Promise.all` only where it is needed: it costs as much for a value as for a promise. */
export const allOf = <T>(items: readonly (T | Promise<T>)[]): readonly T[] | Promise<T[]> =>
  items.some((item) => item instanceof Promise) ? Promise.all(items) : (items as readonly T[]);
