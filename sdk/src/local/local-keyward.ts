import { Breaker } from '../http/breaker.ts';
import { Keyward } from '../keyward.ts';
import type { Validation } from '../validation/outcome.ts';
import { validationTimeoutOf } from '../validation/validation-calls.ts';
import { isCost, type ValidateOptions } from '../validation/validator.ts';
import { conditionsOf } from './conditions.ts';
import { Decider, type Decision } from './decider.ts';
import { Entry } from './entry.ts';
import type { LocalOptions } from './options.ts';
import { resultOf } from './results.ts';
import type { KeyValues, WarmUpOptions, WarmUpResult } from './warm-up.ts';

/**
 * Validates in this process. The first validation of a key queries the server; later ones use a cache
 * by the key's hash, which a stream of changes keeps up to date. A revoked key is refused at most 1 s
 * after the response to its revocation. While the stream is silent, every key is validated over HTTP.
 *
 * ```ts
 * const keyward = new LocalKeyward({ url, accessKey, onUnavailable: 'deny' });
 * const { allowed, record } = await keyward.validate(value);
 * await keyward.close();
 * ```
 */
export class LocalKeyward {
  /** The client for all other calls; it always queries the server. */
  readonly client: Keyward;
  readonly #decider: Decider;
  readonly #timeoutMs: number;
  readonly #servesKnown: boolean;

  constructor(options: LocalOptions) {
    const breaker = new Breaker();
    const { onUnavailable } = options;
    this.#servesKnown = onUnavailable === 'serve-known';
    this.client = new Keyward(
      { ...options, onUnavailable: onUnavailable === 'serve-known' ? 'deny' : onUnavailable },
      breaker,
    );
    this.#decider = new Decider(options, breaker);
    this.#timeoutMs = validationTimeoutOf(options);
  }

  /**
   * Resolves when keys can be cached. While the server is unreachable or refuses the access key, it
   * stays pending and `log` receives the reason. Waiting for it is optional: until then keys are
   * validated over HTTP.
   */
  get ready(): Promise<void> {
    return this.#decider.started;
  }

  /** Number of cached keys. */
  get size(): number {
    return this.#decider.size;
  }

  /**
   * Fetches keys before they are used, 1,000 with each request: in a second or two for 20,000 keys. Nothing is leased, and no
   * use is counted: the first use of a key with limits still leases a part of them. Ends early when `maxKeys` keys
   * are cached. Waits for `ready`. Rejects if the server is unavailable; a second call continues where the first one ended.
   *
   * ```ts
   * await keyward.warmUp(values, { signal: AbortSignal.timeout(10_000) });
   * ```
   */
  warmUp(values: KeyValues, options: WarmUpOptions = {}): Promise<WarmUpResult> {
    return this.#decider.warmUp(values, options);
  }

  /** Synchronous for a cached key; `await` works in both cases. */
  validate(value: string, options: ValidateOptions = {}): Validation | Promise<Validation> {
    const { cost = 1 } = options;
    if (!isCost(cost)) return this.client.validate(value, options);
    const decision = this.#decider.decide(value, conditionsOf(options, cost), options);
    if (decision instanceof Entry) return decision.accepted;
    if (!(decision instanceof Promise)) return this.#resultOf(decision, value, options);
    // The server may have to be asked twice, within one timeout.
    const deadline = performance.now() + (options.timeoutMs ?? this.#timeoutMs);
    return decision.then((late) => {
      const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
      return this.#resultOf(late, value, { ...options, timeoutMs });
    });
  }

  /**
   * Returns leases and reports the remaining usage. Takes up to 5 s if the server is unreachable. If it
   * does not respond, each call takes up to `timeoutMs`. Later validations use HTTP.
   */
  close(): Promise<void> {
    return this.#decider.close();
  }

  #resultOf(
    decision: Decision,
    value: string,
    options: ValidateOptions,
  ): Validation | Promise<Validation> {
    return decision === 'ask' ? this.#ask(value, options) : decided(decision);
  }

  async #ask(value: string, options: ValidateOptions): Promise<Validation> {
    const validation = await this.client.validate(value, options);
    const servesKnown = this.#servesKnown && options.onUnavailable === undefined;
    if (validation.valid !== null || !servesKnown) return validation;
    const { cost = 1 } = options;
    if (typeof cost !== 'number') return validation;
    const decision = this.#decider.decideStale(value, conditionsOf(options, cost));
    return decision === 'ask' ? validation : decided(decision);
  }
}

function decided(decision: Exclude<Decision, 'ask'>): Validation {
  if (decision instanceof Entry) return decision.accepted;
  return 'quotaResult' in decision ? resultOf(decision) : decision;
}
