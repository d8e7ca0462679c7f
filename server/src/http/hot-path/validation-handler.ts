import type { FastifyBaseLogger } from 'fastify';
import type { Keyring } from '../../features/access-keys/index.ts';
import {
  NO_CONDITIONS,
  type RefusalResponses,
  type Validator,
  type Verdict,
  validateBatch,
} from '../../features/validation/index.ts';
import type { WriteErrorBody } from '../../kernel/errors.ts';
import type { RouteResponse } from '../../kernel/route.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { isSampled } from '../../kernel/tracing.ts';
import type { Overload } from '../gate/overload.ts';
import { toKeywardError } from '../responses/errors.ts';
import type { FastHistogram } from './fast-histogram.ts';
import type { Handling, HotPath, ValidationRequest } from './hot-path.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { RequestedKeys } from './validation-body.ts';

const isBatch = (keys: RequestedKeys): keys is readonly string[] => Array.isArray(keys);

/** For the log, without the value. */
const CALL = { method: 'POST', url: '/api-keys/auth/***' };

interface Parts {
  readonly keyring: Keyring;
  readonly validator: Validator;
  readonly times: FastHistogram;
  readonly overload: Overload;
  readonly isUpToDate: (now: number) => boolean;
  readonly nextRequestId: () => string;
  readonly errorBody: WriteErrorBody;
  readonly refusals: RefusalResponses;
  readonly clock: Clock;
  /** Whether traces are recorded. */
  readonly traces: boolean;
  readonly log: FastifyBaseLogger & { isLevelEnabled?(level: string): boolean };
}

/**
 * Handles validations whose access key is cached. Every special case is left to the router, so this
 * class never rejects a caller itself.
 */
export class ValidationHandler implements HotPath {
  readonly #parts: Parts;
  /** Whether each validation is logged, which is for debugging only. Read once from the log level. */
  readonly #logsRequests: boolean;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#logsRequests = parts.log.isLevelEnabled?.('debug') ?? false;
  }

  async loadCaller(credential: string): Promise<boolean> {
    return (await this.#parts.keyring.find(credential)) !== null;
  }

  handle(request: ValidationRequest, writer: ResponseWriter): Handling {
    const { credential, origin, keys } = request;
    const { overload, keyring, validator, clock } = this.#parts;
    const startedAt = performance.now();
    try {
      if (this.#parts.traces && isSampled(request.traceparent)) return 'not-handled';
      if (overload.shedding || !this.#parts.isUpToDate(startedAt)) return 'not-handled';
      const accessKey = keyring.cached(credential);
      if (accessKey === undefined) return 'unknown-caller';
      if (!accessKey.mayValidate || accessKey.refusal(clock()) !== null) return 'not-handled';
      const caller = accessKey.id;
      if (overload.isFullFor(caller)) return 'not-handled';
      const conditions = origin === undefined ? NO_CONDITIONS : { ...NO_CONDITIONS, origin };
      if (isBatch(keys)) {
        const response = validateBatch(this.#parts, accessKey, { values: keys, conditions });
        this.#sendLater(response, caller, writer, startedAt, (result) =>
          this.#send(result, writer, startedAt),
        );
        return 'handled';
      }
      const verdict =
        typeof keys === 'string'
          ? validator.validate(accessKey, keys, conditions)
          : validator.validate(accessKey, keys.key, { ...keys, origin });
      if (verdict instanceof Promise)
        this.#sendLater(verdict, caller, writer, startedAt, (result) =>
          this.#sendVerdict(result, writer, startedAt),
        );
      else this.#sendVerdict(verdict, writer, startedAt);
    } catch (error) {
      this.#fail(writer, error, startedAt);
    }
    return 'handled';
  }

  #sendLater<T>(
    pending: Promise<T>,
    caller: string,
    writer: ResponseWriter,
    startedAt: number,
    send: (result: T) => void,
  ): void {
    this.#parts.overload.beginWait(caller);
    pending
      .then(send)
      .catch((error: unknown) => this.#fail(writer, error, startedAt))
      .finally(() => this.#parts.overload.endWait(caller));
  }

  #sendVerdict(verdict: Verdict, writer: ResponseWriter, startedAt: number): void {
    const now = this.#parts.clock();
    if (verdict.kind === 'valid') {
      writer.accept(verdict, now);
      this.#observe(200, startedAt);
      return;
    }
    const requestId = this.#parts.nextRequestId();
    this.#send(this.#parts.refusals.of(verdict, requestId, now), writer, startedAt, requestId);
  }

  #send(response: RouteResponse, writer: ResponseWriter, startedAt: number, requestId = ''): void {
    writer.send(response, this.#parts.clock());
    this.#observe(response.status, startedAt, requestId);
  }

  #observe(status: number, startedAt: number, requestId = ''): void {
    this.#parts.times.observe(performance.now() - startedAt);
    if (this.#logsRequests)
      this.#parts.log.debug({ ...(requestId && { requestId }), ...CALL, status });
  }

  #fail(writer: ResponseWriter, error: unknown, startedAt: number): void {
    this.#parts.validator.outcomes.failed++;
    const requestId = this.#parts.nextRequestId();
    const { code, status, headers, message } = toKeywardError(
      error,
      this.#parts.log.child({ requestId }),
    );
    const body = JSON.stringify(this.#parts.errorBody(code, requestId, message));
    const own = ['content-type', 'application/json; charset=utf-8'];
    own.push('content-length', String(Buffer.byteLength(body)), ...headers);
    try {
      this.#send({ status, headers: own, body }, writer, startedAt, requestId);
    } catch (err) {
      this.#parts.log.error({ err, requestId }, 'sending a response failed; connection closed');
      writer.abort();
    }
  }
}
