import type { Calls } from '../http/calls.ts';
import type { CallOptions } from '../http/options.ts';

/** Information about the server. Only `engines` needs a credential. */
export class Server {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Name and version. */
  product(options?: CallOptions) {
    return this.#calls.call('product', {}, options);
  }

  /** Whether the process is alive. */
  health(options?: CallOptions) {
    return this.#calls.call('health', {}, options);
  }

  /** Whether the server accepts requests; throws `KeywardUnavailable` if not. */
  readiness(options?: CallOptions) {
    return this.#calls.call('readiness', {}, options);
  }

  /** The state of the database and of Redis, as seen by the node that responds. */
  engines(options?: CallOptions) {
    return this.#calls.call('getEngines', {}, options);
  }
}
