import { batchesOf } from '../../validation/batches.ts';
import type { CreditLease } from './credit-lease.ts';
import type { LeaseGrant } from './leased-amount.ts';

/** The unused part of a lease, as the server expects it. */
export interface ReturnedLease {
  readonly keyId: string;
  readonly leaseId: string;
  readonly unused: number;
  readonly counter?: string;
  readonly pool?: string;
}

interface Waiting {
  readonly lease: ReturnedLease;
  readonly endsAt: number;
  /** Only for credits: called when the server has confirmed the return, or the lease has ended. */
  readonly onSettled: (() => void) | null;
}

const LEASES_PER_CALL = 300;
/**
 * While this many leases wait, unused parts of limits are not returned: their windows would end before
 * they are sent.
 */
const WAITING_MAX = 3_000;

/**
 * Ended leases, to be reported to the server together. The unused part of a limit is sent at most once: if
 * that fails, it is lost only until its window ends. The return of credits is retried until the server
 * confirms it or the lease ends.
 */
export class LeaseReturns {
  readonly #send: (leases: ReturnedLease[]) => Promise<boolean>;
  #waiting: Waiting[] = [];
  #sending: Promise<void> = Promise.resolve();

  /** `send` resolves to true if the leases need not be sent again. */
  constructor(send: (leases: ReturnedLease[]) => Promise<boolean>) {
    this.#send = send;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  addLimit(counter: string, { id, keyId, left, endsAt }: LeaseGrant, now: number): void {
    if (left === 0 || now >= endsAt || this.#waiting.length >= WAITING_MAX) return;
    const lease = { keyId, leaseId: id, unused: left, counter };
    this.#waiting.push({ lease, endsAt, onSettled: null });
  }

  /** Called even if nothing is left, so that the server knows that the credits are spent. */
  addCredits(pool: CreditLease, grant: LeaseGrant): void {
    const { id, keyId, left, endsAt } = grant;
    const lease = { keyId, leaseId: id, unused: left, pool: pool.pool };
    this.#waiting.push({ lease, endsAt, onSettled: () => pool.reported(grant) });
  }

  /** Sends everything added before the call; resolves when this and all earlier calls are complete. */
  flush(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#sendAll());
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = [];
    let isReturned = true;
    for (const some of batchesOf(all, LEASES_PER_CALL, ({ lease }) => lease)) {
      // After a failed call, no further call is sent: each would wait as long for a server that does not
      // respond.
      isReturned &&= await this.#send(some.map(({ lease }) => lease)).catch(() => false);
      for (const each of some) {
        const isOver = isReturned || performance.now() >= each.endsAt;
        if (isOver) each.onSettled?.();
        else if (each.onSettled !== null) this.#waiting.push(each);
      }
    }
  }
}
