import type { ApiResponse } from '../http/api-response.ts';
import type { Breaker, Outcome } from '../http/breaker.ts';
import { KeywardError, KeywardUnavailable } from '../http/errors.ts';
import { type CallOptions, checkedTimeout } from '../http/options.ts';
import { type Request, TIMEOUT_MS, type Transport } from '../http/transport.ts';
import { type KeyToValidate, textOf } from './batches.ts';
import { isVerdict } from './outcome.ts';

/** The body of a validation. */
export type ValidationBody = ({ readonly key: string } | { readonly keys: KeyToValidate[] }) &
  Readonly<Record<string, unknown>>;

export interface ValidationTimeouts {
  /** Timeout of every call, including retries and the waits between them. Default: 5,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Timeout of the validation of one key, including retries: a request of your API waits for it. Default: `timeoutMs`,
   * or 1,000 if that is not set either.
   */
  readonly validationTimeoutMs?: number | undefined;
}

const VALIDATION_TIMEOUT_MS = 1_000;

export const validationTimeoutOf = (options: ValidationTimeouts): number =>
  checkedTimeout(
    'validationTimeoutMs',
    options.validationTimeoutMs ?? options.timeoutMs ?? VALIDATION_TIMEOUT_MS,
  );

/**
 * Sends validations, with their own timeout and through a circuit breaker. A batch has the timeout of other calls: it
 * may take as long as a thousand validations.
 */
export class ValidationCalls {
  readonly #transport: Transport;
  readonly #breaker: Breaker;
  readonly #timeoutMs: number;
  readonly #batchTimeoutMs: number;
  #lastError: unknown;

  constructor(transport: Transport, options: ValidationTimeouts, breaker: Breaker) {
    this.#transport = transport;
    this.#breaker = breaker;
    this.#timeoutMs = validationTimeoutOf(options);
    this.#batchTimeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** Throws `KeywardUnavailable` at once, without a request, while the breaker is open. */
  async send(
    body: ValidationBody,
    headers: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<ApiResponse> {
    const now = performance.now();
    const admission = this.#breaker.admit(now);
    const { decision } = admission;
    if (decision === 'send')
      return this.#sendNow(admission, { body, headers, accepts: isVerdict }, options);
    if (decision === 'probe') {
      const [first] = 'keys' in body ? (body.keys as KeyToValidate[]) : [body.key as string];
      const probe = { body: { key: textOf(first!), cost: 0 }, accepts: isVerdict };
      this.#sendNow(admission, probe, { retries: 0 }).catch(() => {});
    }
    throw new KeywardUnavailable({
      code: 'unavailable',
      message: 'Keyward did not respond to earlier validations, so this one was not sent.',
      statusCode: null,
      requestId: null,
      retryAfterSeconds: this.#breaker.waitMs(now) / 1000,
      cause: this.#lastError,
    });
  }

  async #sendNow(
    admission: ReturnType<Breaker['admit']>,
    request: Request & { readonly body: ValidationBody },
    options: CallOptions,
  ): Promise<ApiResponse> {
    const ownTimeoutMs = 'keys' in request.body ? this.#batchTimeoutMs : this.#timeoutMs;
    const timeoutMs = options.timeoutMs ?? ownTimeoutMs;
    try {
      const calledWith = { ...options, timeoutMs };
      const response = await this.#transport.send('validateApiKeys', request, calledWith);
      this.#breaker.record(admission, response.status, performance.now());
      return response;
    } catch (error) {
      this.#lastError = error;
      const { retryAfterSeconds } = error as Partial<KeywardError>;
      const retryAfterMs = (retryAfterSeconds ?? 0) * 1000;
      this.#breaker.record(admission, outcomeOf(error), performance.now(), retryAfterMs);
      throw error;
    }
  }
}

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof KeywardError)) return 'cancelled';
  return error.statusCode ?? (error.code === 'timeout' ? 'timeout' : 'unreachable');
}
