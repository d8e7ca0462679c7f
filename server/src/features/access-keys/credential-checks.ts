import { addressPrefix } from '../../kernel/address-prefix.ts';
import { FairQueue } from '../../kernel/fair-queue.ts';

/**
 * Checks at a time, for all clients together. A refusal by the router takes about 0.4 ms, so a flood delays each
 * turn of the event loop by about 2 ms, however many connections it has.
 */
const AT_ONCE = 4;

/**
 * Lookups of credentials that are not cached, and errors of requests without a valid one. A caller without a valid credential has no account whose
 * share could be limited, so these wait for a turn, in which the networks of the clients alternate. Requests with a
 * cached access key never wait here. Without it, unknown access keys on 64 connections raised the median latency of
 * other callers from 2 to 170 ms (decisions/0077).
 */
export class CredentialChecks {
  readonly #queue = new FairQueue({ perCaller: AT_ONCE, total: AT_ONCE });

  /** `address`: of the client or of the proxy in front of it; undefined if it has disconnected. */
  run<T>(address: string | undefined, check: () => T | Promise<T>): T | Promise<T> {
    return this.#queue.run(addressPrefix(address, 4, 4), check);
  }
}
