import { collectGarbage } from '../../collect-garbage.ts';
import type { PreparedRow } from './prepare-rows.ts';

/** Consecutive rows of the file; those that are not refused are sent in one call. */
export interface Batch {
  readonly rows: readonly PreparedRow[];
  readonly items: readonly object[];
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
}

export async function* batchesOf(
  rows: AsyncIterable<PreparedRow>,
  limits: BatchLimits,
): AsyncGenerator<Batch> {
  let pending: PreparedRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (pending.length > 0 && (pending.length >= limits.rows || bytes + row.bytes > limits.bytes)) {
      yield batchOf(pending);
      pending = [];
      bytes = 0;
    }
    pending.push(row);
    bytes += row.bytes;
  }
  if (pending.length > 0) yield batchOf(pending);
}

const batchOf = (rows: readonly PreparedRow[]): Batch => ({
  rows,
  items: rows.map(({ item }) => item).filter((item) => item !== null),
});

/** Batches sent and not yet answered: the next is sent while the server works on the previous one. */
const IN_FLIGHT_MAX = 2;

/** The garbage of a batch is about 2 MB. */
const BATCHES_PER_COLLECTION = 4;

/** Sends batches, and calls `finish` for each response in the order of the batches. */
export async function sendBatches<Response>(
  batches: AsyncIterable<Batch>,
  send: (batch: Batch) => Promise<Response>,
  finish: (batch: Batch, response: Response) => void,
): Promise<void> {
  const inFlight: { batch: Batch; response: Promise<Response> }[] = [];
  let finished = 0;
  const finishFirst = async () => {
    const { batch, response } = inFlight.shift()!;
    finish(batch, await response);
    if (++finished % BATCHES_PER_COLLECTION === 0) collectGarbage();
  };
  for await (const batch of batches) {
    const response = send(batch);
    // The response is awaited later. Until then, a rejection must not count as unhandled.
    response.catch(() => {});
    inFlight.push({ batch, response });
    if (inFlight.length >= IN_FLIGHT_MAX) await finishFirst();
  }
  while (inFlight.length > 0) await finishFirst();
}
