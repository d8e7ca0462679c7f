import { type Conditions, NO_CONDITIONS } from '@keyward/rules/check-key.ts';
import type { Verdict } from '../../features/validation/verdict.ts';
import type { RefusalResponses } from '../../features/validation/wire/responses.ts';
import type { RouteResponse } from '../../kernel/route.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Overload } from '../gate/overload.ts';
import type { FastHistogram } from './fast-histogram.ts';
import type { Handling, HotPath, ValidationRequest } from './hot-path.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { RequestedKeys } from './validation-body.ts';

/** A response of another server, to be passed on as it is. */
export interface Forwarded {
  readonly kind: 'forwarded';
  readonly response: RouteResponse;
}

/** `time`: when the verdict was made, if that differs from the clock of this process. */
export type TimedVerdict = Verdict & { readonly time?: number };

type Result = TimedVerdict | Forwarded;

/** Decides the validations of a handler. Implemented by the server and by an edge. */
export interface ValidationBackend<Caller> {
  /** False: the router handles the request. */
  mayHandle(request: ValidationRequest, now: number): boolean;
  /** A cached caller; `undefined`: not cached, `null`: the router handles the request. */
  callerOf(credential: string): Caller | undefined | null;
  loadCaller(credential: string, address: string | undefined): Promise<boolean>;
  /** Whose share of this process the requests of the caller use: those of an account share one. */
  holderOf(caller: Caller): string;
  validate(caller: Caller, value: string, conditions: Conditions): Result | Promise<Result>;
  validateBatch(
    caller: Caller,
    values: readonly string[],
    conditions: Conditions,
  ): Promise<RouteResponse>;
  /** Counts the failure, and returns the response to it. */
  fail(error: unknown, requestId: string): RouteResponse;
}

interface Parts<Caller> {
  readonly backend: ValidationBackend<Caller>;
  readonly times: FastHistogram;
  readonly overload: Overload;
  readonly nextRequestId: () => string;
  readonly refusals: RefusalResponses;
  readonly clock: Clock;
  readonly log: {
    error(fields: object, message: string): void;
    debug?(fields: object): void;
    isLevelEnabled?(level: string): boolean;
  };
}

const isBatch = (keys: RequestedKeys): keys is readonly string[] => Array.isArray(keys);

/** For the log, without the value. */
const CALL = { method: 'POST', url: '/api-keys/auth' };

/**
 * Handles validations whose access key is cached. Every special case is left to the router, so this
 * class never rejects a caller itself.
 */
export class ValidationHandler<Caller> implements HotPath {
  readonly #parts: Parts<Caller>;
  /** Whether each validation is logged, which is for debugging only. Read once from the log level. */
  readonly #logsRequests: boolean;

  constructor(parts: Parts<Caller>) {
    this.#parts = parts;
    this.#logsRequests = parts.log.isLevelEnabled?.('debug') ?? false;
  }

  loadCaller(credential: string, address: string | undefined): Promise<boolean> {
    return this.#parts.backend.loadCaller(credential, address);
  }

  handle(request: ValidationRequest, writer: ResponseWriter): Handling {
    const { credential, origin, keys } = request;
    const { backend, overload } = this.#parts;
    const startedAt = performance.now();
    try {
      if (overload.shedding || !backend.mayHandle(request, startedAt)) return 'not-handled';
      const caller = backend.callerOf(credential);
      if (caller === undefined) return 'unknown-caller';
      if (caller === null || overload.isFullFor(backend.holderOf(caller))) return 'not-handled';
      const conditions = origin === undefined ? NO_CONDITIONS : { ...NO_CONDITIONS, origin };
      if (isBatch(keys)) {
        const response = backend.validateBatch(caller, keys, conditions);
        this.#sendLater(response, caller, writer, startedAt, (late) =>
          this.#send(late, writer, startedAt),
        );
        return 'handled';
      }
      const result =
        typeof keys === 'string'
          ? backend.validate(caller, keys, conditions)
          : backend.validate(caller, keys.key, { ...keys, origin });
      if (result instanceof Promise)
        this.#sendLater(result, caller, writer, startedAt, (late) =>
          this.#sendResult(late, writer, startedAt),
        );
      else this.#sendResult(result, writer, startedAt);
    } catch (error) {
      this.#fail(error, writer, startedAt);
    }
    return 'handled';
  }

  #sendLater<T>(
    pending: Promise<T>,
    caller: Caller,
    writer: ResponseWriter,
    startedAt: number,
    send: (result: T) => void,
  ): void {
    const { overload, backend } = this.#parts;
    const holder = backend.holderOf(caller);
    overload.beginWait(holder);
    pending
      .then(send)
      .catch((error: unknown) => this.#fail(error, writer, startedAt))
      .finally(() => overload.endWait(holder));
  }

  #sendResult(result: Result, writer: ResponseWriter, startedAt: number): void {
    if (result.kind === 'forwarded') {
      this.#send(result.response, writer, startedAt);
      return;
    }
    const now = result.time ?? this.#parts.clock();
    if (result.kind === 'valid') {
      writer.accept(result, now);
      this.#observe(200, startedAt);
      return;
    }
    const requestId = this.#parts.nextRequestId();
    const response = this.#parts.refusals.of(result, requestId, now);
    writer.send(response, now);
    this.#observe(response.status, startedAt, requestId);
  }

  #send(response: RouteResponse, writer: ResponseWriter, startedAt: number, requestId = ''): void {
    writer.send(response, this.#parts.clock());
    this.#observe(response.status, startedAt, requestId);
  }

  #observe(status: number, startedAt: number, requestId = ''): void {
    this.#parts.times.observe(performance.now() - startedAt);
    if (this.#logsRequests)
      this.#parts.log.debug?.({ ...(requestId && { requestId }), ...CALL, status });
  }

  #fail(error: unknown, writer: ResponseWriter, startedAt: number): void {
    const { backend, log, nextRequestId } = this.#parts;
    const requestId = nextRequestId();
    try {
      this.#send(backend.fail(error, requestId), writer, startedAt, requestId);
    } catch (err) {
      log.error({ err, requestId }, 'sending a response failed; connection closed');
      writer.abort();
    }
  }
}
