import { NO_CONDITIONS } from '../../../sdk/src/local/conditions.ts';
import type { RefusalResponses } from '../features/validation/wire/responses.ts';
import type { Overload } from '../http/gate/overload.ts';
import type {
  Handling,
  HotPath,
  ResponseWriter,
  ValidationRequest,
  validationTimes,
} from '../http/hot-path/index.ts';
import type { RouteResponse } from '../kernel/route.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { validateBatch } from './batch.ts';
import { Caller, type Callers } from './callers.ts';
import type { EdgeValidator, Forwarded } from './validator.ts';
import type { EdgeVerdict } from './verdicts.ts';

export interface EdgeHotPathParts {
  readonly callers: Callers;
  readonly validator: EdgeValidator;
  readonly overload: Overload;
  readonly times: ReturnType<typeof validationTimes>;
  readonly refusals: RefusalResponses;
  readonly nextRequestId: () => string;
  /** Callers without an access key use the edge's. */
  readonly isTrusting: boolean;
  /** The response to a request whose handling threw an error. */
  readonly errorResponse: (error: unknown, requestId: string) => RouteResponse;
}

const isBatch = (keys: ValidationRequest['keys']): keys is readonly string[] => Array.isArray(keys);

/** Serves simple validations of known callers. Every special case is left to the router. */
export class EdgeHotPath implements HotPath {
  readonly #parts: EdgeHotPathParts;

  constructor(parts: EdgeHotPathParts) {
    this.#parts = parts;
  }

  async loadCaller(accessKey: string): Promise<boolean> {
    return (await this.#parts.callers.admit(accessKey)) instanceof Caller;
  }

  handle({ credential, origin, keys }: ValidationRequest, writer: ResponseWriter): Handling {
    const { overload, callers, validator, isTrusting } = this.#parts;
    const startedAt = performance.now();
    if (overload.shedding) return 'not-handled';
    const caller = credential === '' && isTrusting ? callers.own : callers.get(credential);
    if (caller === undefined) return credential === '' ? 'not-handled' : 'unknown-caller';
    if (overload.isFullFor(caller.accessKey)) return 'not-handled';
    const conditions = origin === undefined ? NO_CONDITIONS : { ...NO_CONDITIONS, origin };
    if (isBatch(keys)) {
      const items = keys.map((value) => ({ value, conditions, element: value }));
      const response = validateBatch(validator, caller, { items, origin, common: {} });
      this.#sendLater(response, caller, writer, startedAt, (late) => this.#send(late, writer));
      return 'handled';
    }
    try {
      const verdict =
        typeof keys === 'string'
          ? validator.validate(caller, keys, conditions)
          : validator.validate(caller, keys.key, { ...keys, origin });
      if (verdict instanceof Promise)
        this.#sendLater(verdict, caller, writer, startedAt, (late) =>
          this.#sendVerdict(late, writer),
        );
      else {
        this.#sendVerdict(verdict, writer);
        this.#parts.times.observe(performance.now() - startedAt);
      }
    } catch (error) {
      this.#fail(error, writer);
    }
    return 'handled';
  }

  #sendLater<T>(
    pending: Promise<T>,
    { accessKey }: Caller,
    writer: ResponseWriter,
    startedAt: number,
    send: (result: T) => void,
  ): void {
    const { overload, times } = this.#parts;
    overload.beginWait(accessKey);
    pending
      .then(send)
      .catch((error: unknown) => this.#fail(error, writer))
      .finally(() => {
        overload.endWait(accessKey);
        times.observe(performance.now() - startedAt);
      });
  }

  #sendVerdict(verdict: EdgeVerdict | Forwarded, writer: ResponseWriter): void {
    const now = ('time' in verdict && verdict.time) || systemClock();
    if (verdict.kind === 'forwarded') writer.send(verdict.response, now);
    else if (verdict.kind === 'valid') writer.accept(verdict, now);
    else writer.send(this.#parts.refusals.of(verdict, this.#parts.nextRequestId(), now), now);
  }

  #send(response: RouteResponse, writer: ResponseWriter): void {
    writer.send(response, systemClock());
  }

  #fail(error: unknown, writer: ResponseWriter): void {
    this.#parts.validator.count('failed');
    try {
      this.#send(this.#parts.errorResponse(error, this.#parts.nextRequestId()), writer);
    } catch {
      writer.abort();
    }
  }
}
