import type { FastifyBaseLogger } from 'fastify';
import type { Keyring } from '../../features/access-keys/index.ts';
import {
  type RefusalAnswers,
  type Validator,
  type Verdict,
  validateBatch,
} from '../../features/validation/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { WriteErrorBody } from '../../kernel/errors.ts';
import type { Answer } from '../../kernel/route.ts';
import { toKeywardError } from '../error-answers.ts';
import type { Overload } from '../overload.ts';
import type { FastHistogram } from './fast-histogram.ts';
import type { Asked } from './keys-in-body.ts';
import type { Outlet } from './outlet.ts';

/** How the log names these calls: the value is not in it. */
const CALL = { method: 'POST', url: '/api-keys/auth/***' };

/** An ordinary validation: plain values, asked for with one access key. */
export interface Validation {
  readonly credential: string;
  readonly origin: string | undefined;
  readonly asked: Asked;
}

/** `stranger`: the access key is not in memory. `unusual`: the long way must look at it. */
export type Outcome = 'answered' | 'stranger' | 'unusual';

/**
 * Answers validations whose access key memory holds. Whatever is unusual about one is left to the
 * same routes in features/validation, which answer every case: nothing here refuses a caller.
 */
export class Validations {
  readonly #keyring: Keyring;
  readonly #validator: Validator;
  readonly #times: FastHistogram;
  readonly #overload: Overload;
  readonly #isUpToDate: (now: number) => boolean;
  readonly #nextRequestId: () => string;
  readonly #errorBody: WriteErrorBody;
  readonly #refusals: RefusalAnswers;
  readonly #clock: Clock;
  readonly #log: FastifyBaseLogger;
  /** Asked once: a line for each validation is for finding faults, not for every day. */
  readonly #isTalkative: boolean;
  readonly #batchParts: Parameters<typeof validateBatch>[0];

  constructor(parts: {
    keyring: Keyring;
    validator: Validator;
    times: FastHistogram;
    overload: Overload;
    isUpToDate: (now: number) => boolean;
    nextRequestId: () => string;
    errorBody: WriteErrorBody;
    refusals: RefusalAnswers;
    clock: Clock;
    log: FastifyBaseLogger & { isLevelEnabled?(level: string): boolean };
  }) {
    this.#keyring = parts.keyring;
    this.#validator = parts.validator;
    this.#times = parts.times;
    this.#overload = parts.overload;
    this.#isUpToDate = parts.isUpToDate;
    this.#nextRequestId = parts.nextRequestId;
    this.#errorBody = parts.errorBody;
    this.#refusals = parts.refusals;
    this.#clock = parts.clock;
    this.#batchParts = parts;
    this.#log = parts.log;
    this.#isTalkative = parts.log.isLevelEnabled?.('debug') ?? false;
  }

  /** Whether the access key could be brought into memory. */
  async learn(credential: string): Promise<boolean> {
    return (await this.#keyring.find(credential)) !== null;
  }

  answer({ credential, origin, asked }: Validation, outlet: Outlet): Outcome {
    const startedAt = performance.now();
    try {
      if (this.#overload.shedding || !this.#isUpToDate(startedAt)) return 'unusual';
      const accessKey = this.#keyring.held(credential);
      if (accessKey === undefined) return 'stranger';
      if (!accessKey.mayValidate || accessKey.refusal(this.#clock()) !== null) return 'unusual';
      const caller = accessKey.id;
      if (this.#overload.isFullFor(caller)) return 'unusual';
      if (typeof asked !== 'string') {
        const answer = validateBatch(this.#batchParts, accessKey, asked, origin);
        this.#late(answer, caller, outlet, startedAt, (late) =>
          this.#send(late, outlet, startedAt),
        );
        return 'answered';
      }
      const verdict = this.#validator.validate(accessKey, asked, origin);
      if (verdict instanceof Promise)
        this.#late(verdict, caller, outlet, startedAt, (late) =>
          this.#sendVerdict(late, outlet, startedAt),
        );
      else this.#sendVerdict(verdict, outlet, startedAt);
    } catch (error) {
      this.#fail(outlet, error, startedAt);
    }
    return 'answered';
  }

  #late<T>(
    found: Promise<T>,
    caller: string,
    outlet: Outlet,
    startedAt: number,
    send: (found: T) => void,
  ): void {
    this.#overload.wait(caller);
    found
      .then(send)
      .catch((error: unknown) => this.#fail(outlet, error, startedAt))
      .finally(() => this.#overload.endWait(caller));
  }

  #sendVerdict(verdict: Verdict, outlet: Outlet, startedAt: number): void {
    const now = this.#clock();
    if (verdict.kind === 'valid') {
      outlet.accept(verdict, now);
      this.#told(200, startedAt);
      return;
    }
    const requestId = this.#nextRequestId();
    this.#send(this.#refusals.of(verdict, requestId, now), outlet, startedAt, requestId);
  }

  #send(answer: Answer, outlet: Outlet, startedAt: number, requestId = ''): void {
    outlet.send(answer, this.#clock());
    this.#told(answer.status, startedAt, requestId);
  }

  #told(status: number, startedAt: number, requestId = ''): void {
    this.#times.observe(performance.now() - startedAt);
    if (this.#isTalkative) this.#log.debug({ ...(requestId && { requestId }), ...CALL, status });
  }

  #fail(outlet: Outlet, error: unknown, startedAt: number): void {
    this.#validator.outcomes.failed++;
    const requestId = this.#nextRequestId();
    const { code, status, headers, message } = toKeywardError(
      error,
      this.#log.child({ requestId }),
    );
    const body = JSON.stringify(this.#errorBody(code, requestId, message));
    const own = ['content-type', 'application/json; charset=utf-8'];
    own.push('content-length', String(Buffer.byteLength(body)), ...headers);
    try {
      this.#send({ status, headers: own, body }, outlet, startedAt, requestId);
    } catch (err) {
      this.#log.error({ err, requestId }, 'an answer could not be sent; its connection is closed');
      outlet.abort();
    }
  }
}
