import { OPERATIONS, type Operation } from '../generated/operations.ts';
import { type ApiResponse, failureOf, readResponse } from './api-response.ts';
import { type KeywardError, noResponse } from './errors.ts';
import type { OperationId } from './operation.ts';
import {
  accessKeyOf,
  baseOf,
  type CallOptions,
  checkedTimeout,
  type TransportOptions,
} from './options.ts';
import { isRepeatable, mayRetry, waitMs } from './retry.ts';
import { pathOf, queryOf } from './url.ts';

/** The parts of a request. */
export interface Request {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Returns true for responses that are results of the call, whatever their status. */
  readonly accepts?: (response: ApiResponse) => boolean;
}

export const TIMEOUT_MS = 5_000;
/** About 25 days. Timers of Node cannot be longer. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Sends calls: adds address and credential, and applies timeout and retries. */
export class Transport {
  readonly #base: string;
  readonly #accessKey: string | undefined;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor(options: TransportOptions) {
    this.#base = baseOf(options);
    this.#accessKey = accessKeyOf(options);
    this.#timeoutMs = checkedTimeout('timeoutMs', options.timeoutMs ?? TIMEOUT_MS);
    this.#retries = options.retries ?? 2;
    // Browsers require that `fetch` is called without a `this`. The global is looked up for each call.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** Returns the response of a successful call; throws otherwise. */
  async send(id: OperationId, request: Request, options: CallOptions = {}): Promise<ApiResponse> {
    const operation: Operation = OPERATIONS[id];
    const url = this.#base + pathOf(operation.path, request.path) + queryOf(request.query);
    const init = this.#init(operation, request);
    if (operation.creates) {
      init.headers['idempotency-key'] = options.idempotencyKey ?? crypto.randomUUID();
    }
    if (options.ifUpdatedAt !== undefined) init.headers['if-match'] = `"${options.ifUpdatedAt}"`;
    const repeatable = isRepeatable(id, operation, request);
    const deadline = Date.now() + (options.timeoutMs ?? this.#timeoutMs);
    const retries = options.retries ?? this.#retries;
    for (let attempt = 0; ; attempt++) {
      const result = await this.#attempt(url, init, deadline, options.signal);
      if (!('error' in result)) return result;
      if (result.response && request.accepts?.(result.response)) return result.response;
      const wait = waitMs(attempt, result.error.retryAfterSeconds, Math.random());
      const isLast = attempt >= retries || Date.now() + wait >= deadline;
      if (isLast || !mayRetry(result.error, repeatable)) throw result.error;
      await pause(wait, options.signal);
    }
  }

  #init({ method, merges }: Operation, { body, headers }: Request) {
    return {
      method,
      // Following a redirect would send the access key to its target.
      redirect: 'manual',
      // Set only if needed: some edge runtimes reject the field.
      ...(this.#accessKey === undefined && { credentials: 'same-origin' as const }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        ...(this.#accessKey !== undefined && { 'x-api-key': this.#accessKey }),
        ...(body !== undefined && {
          'content-type': merges ? 'application/merge-patch+json' : 'application/json',
        }),
        ...headers,
      } as Record<string, string>,
    } satisfies RequestInit;
  }

  async #attempt(
    url: string,
    init: RequestInit,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<ApiResponse | { readonly error: KeywardError; readonly response?: ApiResponse }> {
    signal?.throwIfAborted();
    const leftMs = Math.max(0, Math.ceil(deadline - Date.now()));
    const timeout = AbortSignal.timeout(Math.min(TIMER_MS_MAX, leftMs));
    const both = signal ? AbortSignal.any([signal, timeout]) : timeout;
    try {
      const response = await readResponse(await this.#fetch(url, { ...init, signal: both }));
      const error = failureOf(response, Date.now());
      return error ? { error, response } : response;
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      if (timeout.aborted)
        return { error: noResponse('timeout', 'Keyward did not respond in time.') };
      return { error: noResponse('unreachable', 'Keyward cannot be reached.', cause) };
    }
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
