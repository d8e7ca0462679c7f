import { KeywardError, noAnswer } from '../http/errors.ts';
import { createProblemLog, type Log } from '../http/problem-log.ts';
import type { Accepted, Undecided, Validation } from '../validation/outcome.ts';
import type { OnUnavailable, ValidateOptions } from '../validation/validator.ts';
import { challengeOf, type KeyPlace, keyFinder, type RequestReader } from './key-places.ts';
import { answerTo, limitHeaders, type Refusal, type RefusalAnswer, refusalOf } from './refusal.ts';

/** `Keyward`, `LocalKeyward`, or a validator of your own. */
export interface KeyValidator {
  validate(value: string, options?: ValidateOptions): Validation | Promise<Validation>;
}

/** What a handler finds as `keyward`. `record` is null only while Keyward is away and you allow that. */
export type Admitted = Accepted | (Undecided & { readonly allowed: true });

/** A request that has passed. */
export type Protected<Request> = Request & { readonly keyward: Admitted };

export interface ProtectOptions {
  /** One place, or several in the order they are looked at. Default: `{ header: 'x-api-key' }`. */
  readonly keyFrom?: KeyPlace | readonly KeyPlace[] | undefined;
  /**
   * Whether the host in the request's `Origin` header is passed on, so that Keyward can hold it
   * against the key's `allowedDomains`. Default: false, and keys with domains are then refused.
   */
  readonly passOrigin?: boolean | undefined;
  /** Without it the client's; without that, requests get 503 while Keyward is away. */
  readonly onUnavailable?: OnUnavailable | undefined;
  /** The longest that a request waits for Keyward. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called with the reason, at most once a minute, when keys cannot be validated: Keyward is away, or
   * refuses this API's own access key. Users are only told 503. Default: `console.error`.
   */
  readonly log?: Log | undefined;
  /** Changes what a request that is turned away is answered; what it leaves out stays as it is. */
  readonly answer?:
    | ((refusal: Refusal, usual: RefusalAnswer) => Partial<RefusalAnswer> | undefined)
    | undefined;
}

export type Decision =
  | {
      readonly passed: true;
      readonly keyward: Admitted;
      /** For the answer of the handler. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly passed: false; readonly answer: RefusalAnswer };

export type Guard<Request> = (request: Request) => Decision | Promise<Decision>;

const DEFAULT_PLACE: KeyPlace = { header: 'x-api-key' };

/**
 * The one decision behind every middleware: whether a request passes, and the response if not. Only a
 * verdict about the key is held against the user; whatever else `validate` returns or throws is a 503.
 * Synchronous where the validator is: a promise would cost more than the validation.
 */
export function createGuard<Request>(
  keyward: KeyValidator,
  reader: RequestReader<Request>,
  options: ProtectOptions = {},
): Guard<Request> {
  const places = [options.keyFrom ?? DEFAULT_PLACE].flat() as readonly KeyPlace[];
  const challenge = challengeOf(places);
  const keyIn = keyFinder(reader, places);
  const { onUnavailable, timeoutMs } = options;
  const logProblem = createProblemLog(options.log);
  const usual: ValidateOptions = { onUnavailable, timeoutMs };
  const optionsFor = (request: Request): ValidateOptions =>
    options.passOrigin
      ? { ...usual, originDomain: originIn(reader.header(request, 'origin')) }
      : usual;

  function refuse(refusal: Refusal): Decision {
    const answer = answerTo(refusal, challenge);
    return { passed: false, answer: { ...answer, ...options.answer?.(refusal, answer) } };
  }

  function unavailable(thrown: unknown): Decision {
    logProblem('Keyward: API keys cannot be validated, requests get 503', thrown);
    const error =
      thrown instanceof KeywardError
        ? thrown
        : noAnswer('unreachable', 'The key could not be validated.', thrown);
    return refuse({ reason: 'unavailable', error });
  }

  function decide(validation: Validation): Decision {
    if (validation.valid === false) return refuse(refusalOf(validation));
    if (!isAdmitted(validation)) return unavailable(validation.error);
    if (validation.valid === null) {
      logProblem(
        'Keyward: API keys cannot be validated, requests pass unchecked',
        validation.error,
      );
    }
    return { passed: true, keyward: validation, headers: limitHeaders(validation.rateLimit) };
  }

  return (request) => {
    const key = keyIn(request);
    if (key === undefined) return refuse({ reason: 'missing' });
    let validation: Validation | Promise<Validation>;
    try {
      validation = keyward.validate(key, optionsFor(request));
    } catch (error) {
      return unavailable(error);
    }
    return validation instanceof Promise
      ? validation.then(decide, unavailable)
      : decide(validation);
  };
}

/** For servers with callbacks: `fail` gets what the caller's own `answer` throws. */
export function whenDecided<Request>(
  guard: Guard<Request>,
  request: Request,
  act: (decision: Decision) => void,
  fail: (error: Error) => void,
): void {
  let decision: Decision | Promise<Decision>;
  try {
    decision = guard(request);
  } catch (error) {
    fail(error as Error);
    return;
  }
  if (decision instanceof Promise) decision.then(act, fail);
  else act(decision);
}

const isAdmitted = (validation: Accepted | Undecided): validation is Admitted => validation.allowed;

/** The host of `https://app.example:8443`. */
const originIn = (header = ''): string | undefined =>
  /^[a-z][a-z0-9+.-]*:\/\/([^/:?#@]+)(:\d+)?$/i.exec(header)?.[1];
