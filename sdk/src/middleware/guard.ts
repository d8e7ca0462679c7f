import { type CostInput, readCost } from '@keyward/rules/cost.ts';
import type { PermissionsInput } from '@keyward/rules/permissions.ts';
import { KeywardError, noResponse } from '../http/errors.ts';
import { createProblemLog, type Log } from '../http/problem-log.ts';
import type { Accepted, Undecided, Validation } from '../validation/outcome.ts';
import {
  type OnUnavailable,
  requirementOf,
  type ValidateOptions,
} from '../validation/validator.ts';
import { challengeOf, type KeySource, keyFinder, type RequestReader } from './key-sources.ts';
import {
  quotaHeaders,
  type Refusal,
  type RefusalResponse,
  refusalOf,
  refusalResponse,
} from './refusal.ts';
import { checkResource } from './route-resource.ts';

/** `Keyward`, `LocalKeyward`, or your own validator, which must check all conditions in the options. */
export interface KeyValidator {
  validate(value: string, options?: ValidateOptions): Validation | Promise<Validation>;
}

/**
 * The `keyward` property in a handler. `record` is null only if Keyward is unavailable and
 * `onUnavailable` allows the request.
 */
export type Admitted = Accepted | (Undecided & { readonly allowed: true });

/** An admitted request. */
export type Protected<Request> = Request & { readonly keyward: Admitted };

/** The options of `protect`. `Request` is what its functions are called with. */
export interface GuardOptions<Request> {
  /** Where to read the key: one source, or several in order. Default: `{ header: 'x-api-key' }`. */
  readonly keyFrom?: KeySource | readonly KeySource[] | undefined;
  /**
   * Whether to send the host in the request's `Origin` header to Keyward, which compares it with the
   * key's `allowedDomains`. Default: false; keys with domains are then refused.
   */
  readonly passOrigin?: boolean | undefined;
  /**
   * The permissions that a key must have, or a function of the request that returns them; undefined
   * requires none. A key without them gets 403, and the response does not name them.
   */
  readonly permissions?:
    | PermissionsInput
    | ((request: Request) => Requirements | Promise<Requirements>)
    | undefined;
  /**
   * What a request consumes from limits and from credits, or a function of the request that returns it: an integer
   * from 0 to 1,000,000, which counts for both, or an amount of each unit, such as `{ tokens: 1200 }`. Default: 1.
   */
  readonly cost?: CostInput | ((request: Request) => CostInput | Promise<CostInput>) | undefined;
  /**
   * What the request is about, which selects the limits that apply, by their `for`: text, or a function of the request
   * that returns it. Never use what your user sent, such as a header or the path: your user could then choose the limit.
   * Default: the pattern of the route, such as `GET:/v1/things/:id`, if the server knows it. `false` sends none.
   */
  readonly resource?: Resource | ((request: Request) => Resource) | undefined;
  /**
   * Returns the IP address of your user, which Keyward compares with the key's `allowedIPs`. Default:
   * the address of the connection, where the server has one. Behind a proxy that is the proxy's
   * address; read `X-Forwarded-For` only if your proxy overwrites it, because users can send it too.
   */
  readonly clientIP?: ((request: Request) => string | null | undefined) | undefined;
  /** Default: the client's `onUnavailable`; without that, requests get 503 while Keyward is unavailable. */
  readonly onUnavailable?: OnUnavailable | undefined;
  /** Maximum time that a request waits for Keyward. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called with the reason, at most once a minute, when keys cannot be validated: Keyward is unavailable,
   * or rejects this API's own access key. Users do not see the reason. Default: `console.error`.
   */
  readonly log?: Log | undefined;
  /** Changes the response to a refused request; fields that it leaves out keep their defaults. */
  readonly response?:
    | ((refusal: Refusal, defaults: RefusalResponse) => Partial<RefusalResponse> | undefined)
    | undefined;
}

type Requirements = PermissionsInput | undefined;
type Resource = string | false | undefined;

export type Decision =
  | {
      readonly passed: true;
      readonly keyward: Admitted;
      /** To be added to the handler's response. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly passed: false; readonly response: RefusalResponse };

type Guard<Request> = (request: Request) => Promise<Decision>;

const DEFAULT_SOURCE: KeySource = { header: 'x-api-key' };

/**
 * The decision that all middlewares share: whether a request is admitted, and the response if not. A key is
 * refused only if Keyward decided so. If it cannot be validated for any other reason, the response is a 503,
 * unless `onUnavailable` allows the request.
 */
export function createGuard<Request>(
  keyward: KeyValidator,
  reader: RequestReader<Request>,
  options: GuardOptions<Request> = {},
): Guard<Request> {
  const sources = [options.keyFrom ?? DEFAULT_SOURCE].flat() as readonly KeySource[];
  const challenge = challengeOf(sources);
  const keyIn = keyFinder(reader, sources);
  const { onUnavailable, timeoutMs, permissions, passOrigin, cost } = options;
  const resource = options.resource ?? reader.resource;
  // A mistake in the configuration is reported when the server starts.
  if (typeof permissions !== 'function') requirementOf(permissions);
  if (cost !== undefined && typeof cost !== 'function') checkCost(cost);
  if (typeof resource === 'string') checkResource(resource);
  const addressOf = options.clientIP ?? reader.address;
  const logProblem = createProblemLog(options.log);
  const optionsFor = (request: Request): ValidateOptions => ({
    onUnavailable,
    timeoutMs,
    originDomain: passOrigin ? originIn(reader.header(request, 'origin')) : undefined,
    clientIP: addressOf(request) ?? undefined,
    resource: (typeof resource === 'function' ? resource(request) : resource) || undefined,
  });

  function refuse(refusal: Refusal): Decision {
    const defaults = refusalResponse(refusal, challenge);
    return { passed: false, response: { ...defaults, ...options.response?.(refusal, defaults) } };
  }

  function unavailable(thrown: unknown): Decision {
    logProblem('Keyward: API keys cannot be validated, requests get 503', thrown);
    const error =
      thrown instanceof KeywardError
        ? thrown
        : noResponse('unreachable', 'The key could not be validated.', thrown);
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
    const headers = quotaHeaders(validation.rateLimit, validation.record?.credits);
    return { passed: true, keyward: validation, headers };
  }

  async function check(key: string, validateOptions: ValidateOptions): Promise<Decision> {
    let validation: Validation;
    try {
      validation = await keyward.validate(key, validateOptions);
    } catch (error) {
      return unavailable(error);
    }
    return decide(validation);
  }

  return async (request) => {
    const key = keyIn(request);
    if (key === undefined) return refuse({ reason: 'missing' });
    // Read before the functions in the options run: they may take time, and a closed connection has no
    // address.
    const validateOptions = optionsFor(request);
    const [required, price] = await Promise.all([
      valueFor(permissions, request),
      valueFor(cost, request),
    ]);
    return check(key, { ...validateOptions, permissions: required, cost: price });
  };
}

/**
 * For servers with callbacks. `apply` either sends the response to a rejected request and returns false, or
 * prepares an admitted request and returns true. Errors thrown by `apply` and by functions in the options are
 * passed to `next`: nothing else would handle them, and Node would end the process.
 */
export async function whenDecided<Request>(
  guard: Guard<Request>,
  request: Request,
  apply: (decision: Decision) => boolean,
  next: (error?: Error) => void,
): Promise<void> {
  let passed: boolean;
  try {
    passed = apply(await guard(request));
  } catch (thrown) {
    next(errorOf(thrown));
    return;
  }
  if (passed) next();
}

/**
 * Always an object: Express and Fastify admit the request if `next` is called with `undefined`, and Express
 * also with 'route'.
 */
const errorOf = (thrown: unknown): Error =>
  typeof thrown === 'object' && thrown !== null
    ? (thrown as Error)
    : new Error('A function in the options of `protect` failed.', { cause: thrown });

function checkCost(cost: CostInput): void {
  try {
    readCost(cost);
  } catch (error) {
    throw new RangeError(`\`cost\` ${(error as Error).message}.`);
  }
}

/** Asynchronous, so that an error of one option does not leave the promise of another unhandled. */
async function valueFor<Request, Value extends PermissionsInput | CostInput | undefined>(
  option: Value | ((request: Request) => Value | Promise<Value>),
  request: Request,
): Promise<Value> {
  return typeof option === 'function' ? option(request) : option;
}

const isAdmitted = (validation: Accepted | Undecided): validation is Admitted => validation.allowed;

/** The host of `https://app.example:8443`. */
const originIn = (header = ''): string | undefined =>
  /^[a-z][a-z0-9+.-]*:\/\/([^/:?#@]+)(:\d+)?$/i.exec(header)?.[1];
