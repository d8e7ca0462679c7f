import type { BatchResult } from '../generated/api-types.ts';
import type { Answer } from '../http/answer.ts';
import { KeywardError, KeywardUnavailable } from '../http/errors.ts';
import type { CallOptions } from '../http/options.ts';
import type { Transport } from '../http/transport.ts';
import { batchesOf, canBeAsked } from './batches.ts';
import {
  isVerdict,
  refused,
  type Undecided,
  type Validation,
  verdictOf,
  verdictOfItem,
} from './outcome.ts';

/** What to do with a key while Keyward cannot be asked. There is no default: somebody must say. */
export type OnUnavailable =
  | 'deny'
  | 'allow'
  | ((error: KeywardUnavailable) => 'deny' | 'allow' | Promise<'deny' | 'allow'>);

export interface ValidateOptions extends CallOptions {
  /** The host that your user calls from; needed for keys with `allowedDomains`. */
  readonly originDomain?: string | undefined;
  /** For this call; without it the client's, and without that `KeywardUnavailable` is thrown. */
  readonly onUnavailable?: OnUnavailable | undefined;
}

/** Asks the server about keys. They travel in the body: never in an address, nor in a log. */
export class Validator {
  readonly #transport: Transport;
  readonly #onUnavailable: OnUnavailable | undefined;

  constructor(transport: Transport, onUnavailable: OnUnavailable | undefined) {
    this.#transport = transport;
    this.#onUnavailable = onUnavailable;
  }

  async validate(key: string, options: ValidateOptions = {}): Promise<Validation> {
    if (!canBeAsked(key)) return refused('key_malformed', null);
    try {
      const answer = await this.#ask({ key }, options);
      return verdictOf(answer) ?? unexpected(answer);
    } catch (error) {
      return this.#withoutAnswer(error, options);
    }
  }

  /** As many as you like, in calls of up to 1,000; the answers are in the order asked. */
  async validateMany(
    keys: readonly string[],
    options: ValidateOptions = {},
  ): Promise<Validation[]> {
    const asked: Validation[] = [];
    for (const batch of batchesOf(keys.filter(canBeAsked))) {
      for (const outcome of await this.#validateBatch(batch, options)) asked.push(outcome);
    }
    const next = asked.values();
    return keys.map((key) =>
      canBeAsked(key) ? (next.next().value as Validation) : refused('key_malformed', null),
    );
  }

  async #validateBatch(keys: string[], options: ValidateOptions): Promise<Validation[]> {
    try {
      const answer = await this.#ask({ keys }, options);
      const results = answer.body as BatchResult[];
      if (!Array.isArray(results) || results.length !== keys.length) unexpected(answer);
      return results.map((result) => verdictOfItem(result) ?? unexpected(answer));
    } catch (error) {
      const outcome = await this.#withoutAnswer(error, options);
      return keys.map(() => outcome);
    }
  }

  #ask(body: { key: string } | { keys: string[] }, options: ValidateOptions): Promise<Answer> {
    const request = { body, headers: originHeader(options.originDomain), accepts: isVerdict };
    return this.#transport.send('validateApiKeys', request, options);
  }

  async #withoutAnswer(error: unknown, options: ValidateOptions): Promise<Undecided> {
    const wish = options.onUnavailable ?? this.#onUnavailable;
    if (!(error instanceof KeywardUnavailable) || wish === undefined) throw error;
    const said = typeof wish === 'function' ? await wish(error) : wish;
    return { valid: null, allowed: said === 'allow', record: null, rateLimit: null, error };
  }
}

/**
 * What cannot stand in a header is left out, and the server then refuses keys with domains: were it
 * sent, `fetch` itself would fail, and `onUnavailable: 'allow'` would let its sender in.
 */
export const originHeader = (domain: string | undefined): Record<string, string> =>
  domain !== undefined && /^[\x21-\x7e]{1,512}$/.test(domain) ? { 'x-origin-domain': domain } : {};

function unexpected(answer: Answer): never {
  throw new KeywardError({
    code: 'unexpected_answer',
    message: 'Not the answer of a validation. Is the address right?',
    statusCode: answer.status,
    requestId: null,
    retryAfterSeconds: null,
  });
}
