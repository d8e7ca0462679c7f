import { currentRequest } from '../../kernel/request-context.ts';
import type { StorageUnavailable } from '../errors.ts';
import type { ReadStatus } from '../storage.ts';
import { type Reader, ReadGate } from './read-gate.ts';

export interface ReadTimeouts {
  /** For all reads of a page together. */
  readonly request: number;
  readonly background: number;
}

/** Background work has slots of its own, and nobody waits for it, so it may read for long. */
export const READ_TIMEOUTS: ReadTimeouts = { request: 5_000, background: 120_000 };

/** Many lists of a few milliseconds each may wait: they run before their deadlines. */
const WAITING = { waitingMax: 1_024, shareOfWaiting: 1 / 4 };

export type Lane = 'request' | 'background';

/** Must end soon after `stop` is aborted, which happens at `deadline` (monotonic milliseconds) or before. */
type Work<T> = (lane: Lane, stop: AbortSignal, deadline: number) => Promise<T>;

/**
 * Separates the reads of requests from those of background work. One account uses at most half of the slots
 * of requests, so that its slow lists leave a reader to the others.
 */
export class ReadLanes {
  readonly #timeouts: ReadTimeouts;
  readonly #gates: Readonly<Record<Lane, ReadGate>>;

  constructor(slots: Readonly<Record<Lane, number>>, timeouts = READ_TIMEOUTS) {
    this.#timeouts = timeouts;
    const { request, background } = slots;
    this.#gates = {
      request: new ReadGate({
        slots: request,
        slotsOfAccount: Math.max(1, Math.floor(request / 2)),
        ...WAITING,
      }),
      background: new ReadGate({
        slots: background,
        slotsOfAccount: background,
        waitingMax: Number.POSITIVE_INFINITY,
        shareOfWaiting: 1,
      }),
    };
  }

  get status(): Record<Lane, ReadStatus> {
    const { request, background } = this.#gates;
    return { request: request.status, background: background.status };
  }

  /** Runs a read in the lane of the current request; in the background if there is none. */
  run<T>(work: Work<T>): Promise<T> {
    const context = currentRequest();
    if (context === undefined) return this.runInBackground(work);
    const now = performance.now();
    if (context.pageSince === 'no read yet') context.pageSince = now;
    const deadline = (context.pageSince ?? now) + this.#timeouts.request;
    const { reader: account, signal } = context;
    return this.#run('request', { account, signal, deadline }, work);
  }

  runInBackground<T>(work: Work<T>): Promise<T> {
    const deadline = performance.now() + this.#timeouts.background;
    return this.#run('background', { account: '', deadline }, work);
  }

  #run<T>(lane: Lane, reader: Reader, work: Work<T>): Promise<T> {
    return this.#gates[lane].run(reader, (stop) => work(lane, stop, reader.deadline));
  }

  /** Rejects all reads that run or wait, and later ones. */
  stop(reason: StorageUnavailable): void {
    for (const gate of Object.values(this.#gates)) gate.stop(reason);
  }

  /** Finishes the reads that run or wait, and accepts no new ones. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#gates).map((gate) => gate.close()));
  }
}
