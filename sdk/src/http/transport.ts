import { OPERATIONS } from '../generated/operations.ts';
import { type Answer, failureOf, readAnswer } from './answer.ts';
import { type KeywardError, noAnswer } from './errors.ts';
import type { OperationId } from './operation.ts';
import { accessKeyOf, baseOf, type CallOptions, type TransportOptions } from './options.ts';
import { isRepeatable, mayRetry, waitMs } from './retry.ts';
import { pathOf, queryOf } from './url.ts';

/** The parts of a request, before they are put together. */
export interface Request {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Answers that are no failure of the call, whatever their status. */
  readonly accepts?: (answer: Answer) => boolean;
}

/** Sends calls: address, credential, time limit, retries. Knows nothing of what they mean. */
export class Transport {
  readonly #base: string;
  readonly #accessKey: string | undefined;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor(options: TransportOptions) {
    this.#base = baseOf(options);
    this.#accessKey = accessKeyOf(options);
    this.#timeoutMs = options.timeoutMs ?? 5_000;
    this.#retries = options.retries ?? 2;
    // Looked up at each call, and called on nothing: browsers refuse a `fetch` with another `this`.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** The answer, once it is a success; everything else is thrown. */
  async send(id: OperationId, request: Request, options: CallOptions = {}): Promise<Answer> {
    const operation: { method: string; path: string; creates?: true } = OPERATIONS[id];
    const url = this.#base + pathOf(operation.path, request.path) + queryOf(request.query);
    const init = this.#init(operation.method, request);
    if (operation.creates) {
      init.headers['idempotency-key'] = options.idempotencyKey ?? crypto.randomUUID();
    }
    const repeatable = isRepeatable(id, operation, request.query);
    const deadline = Date.now() + (options.timeoutMs ?? this.#timeoutMs);
    const retries = options.retries ?? this.#retries;
    for (let attempt = 0; ; attempt++) {
      const result = await this.#attempt(url, init, deadline, options.signal);
      if (!('error' in result)) return result;
      if (result.answer && request.accepts?.(result.answer)) return result.answer;
      const wait = waitMs(attempt, result.error.retryAfterSeconds, Math.random());
      const isLast = attempt >= retries || Date.now() + wait >= deadline;
      if (isLast || !mayRetry(result.error, repeatable)) throw result.error;
      await pause(wait, options.signal);
    }
  }

  #init(method: string, { body, headers }: Request) {
    return {
      method,
      // Not followed: a redirect would carry the access key to wherever it points.
      redirect: 'manual',
      // Set only where it is needed: some edge runtimes refuse the field.
      ...(this.#accessKey === undefined && { credentials: 'same-origin' as const }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        ...(this.#accessKey !== undefined && { 'x-api-key': this.#accessKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      } as Record<string, string>,
    } satisfies RequestInit;
  }

  async #attempt(
    url: string,
    init: RequestInit,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer | { readonly error: KeywardError; readonly answer?: Answer }> {
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(Math.max(0, deadline - Date.now()));
    const both = signal ? AbortSignal.any([signal, timeout]) : timeout;
    try {
      const answer = await readAnswer(await this.#fetch(url, { ...init, signal: both }));
      const error = failureOf(answer, Date.now());
      return error ? { error, answer } : answer;
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      if (timeout.aborted) return { error: noAnswer('timeout', 'Keyward did not answer in time.') };
      return { error: noAnswer('unreachable', 'Keyward cannot be reached.', cause) };
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
