import { parseAddress } from '@keyward/rules/addresses.ts';
import { COST_MAX, type CostInput } from '@keyward/rules/cost.ts';
import {
  type PermissionsInput,
  type Requirement,
  readRequirement,
} from '@keyward/rules/permissions.ts';
import type { BatchResult } from '../generated/api-types.ts';
import type { ApiResponse } from '../http/api-response.ts';
import { KeywardError, KeywardUnavailable } from '../http/errors.ts';
import type { CallOptions } from '../http/options.ts';
import { batchesOf, canBeKey, KEYS_MAX, type KeyToValidate, textOf } from './batches.ts';
import { refused, type Undecided, type Validation, verdictOf, verdictOfItem } from './outcome.ts';
import type { ValidationCalls } from './validation-calls.ts';

/** Whether to allow a key while Keyward is unavailable. There is no default: your API must choose. */
export type OnUnavailable =
  | 'deny'
  | 'allow'
  | ((error: KeywardUnavailable) => 'deny' | 'allow' | Promise<'deny' | 'allow'>);

export interface ValidateOptions extends CallOptions {
  /** The host that your user's request comes from; required for keys with `allowedDomains`. */
  readonly originDomain?: string | undefined;
  /**
   * The permissions that the key must have: a name, a list of which all are required, or
   * `{ all: […] }` or `{ any: […] }`.
   */
  readonly permissions?: PermissionsInput | undefined;
  /**
   * The IP address that your user's request comes from; required for keys with `allowedIPs`. Text that
   * is not an address counts as unknown, so that these keys are refused.
   */
  readonly clientIP?: string | undefined;
  /**
   * What a valid request consumes from limits and from credits: an integer from 0 to 1,000,000, which counts for both,
   * or an amount of each unit, such as `{ tokens: 1200, credits: 3 }`. 0 checks everything and consumes nothing.
   * Default: 1.
   */
  readonly cost?: CostInput | undefined;
  /**
   * What the request is about, such as `POST:/v1/chat`: selects the limits that apply, by their `for`. Use the pattern
   * of your route, never a header or path that your user sent.
   */
  readonly resource?: string | undefined;
  /** Default: the client's `onUnavailable`; without that, `KeywardUnavailable` is thrown. */
  readonly onUnavailable?: OnUnavailable | undefined;
}

/** Validates keys on the server. Keys are sent in the body, so that they do not appear in URLs or logs. */
export class Validator {
  readonly #calls: ValidationCalls;
  readonly #onUnavailable: OnUnavailable | undefined;

  constructor(calls: ValidationCalls, onUnavailable: OnUnavailable | undefined) {
    this.#calls = calls;
    this.#onUnavailable = onUnavailable;
  }

  async validate(key: string, options: ValidateOptions = {}): Promise<Validation> {
    requirementOf(options.permissions);
    if (!canBeKey(key)) return refused('key_malformed', null);
    try {
      const response = await this.#send({ key }, options, options.cost);
      return verdictOf(response) ?? unexpected(response);
    } catch (error) {
      return this.#withoutResponse(error, options);
    }
  }

  /** Validates any number of keys, in calls of up to 1,000. The results have the order of `keys`. */
  async validateMany(
    keys: readonly KeyToValidate[],
    options: ValidateOptions = {},
  ): Promise<Validation[]> {
    for (const { permissions } of [options, ...keys.filter((key) => typeof key === 'object')])
      requirementOf(permissions);
    const sent = keys.filter((key) => canBeKey(textOf(key)));
    const priced = sent.map((key) => withCost(key, options.cost));
    const validated: Validation[] = [];
    for (const batch of batchesOf(priced, KEYS_MAX)) {
      for (const outcome of await this.#validateBatch(batch, options)) validated.push(outcome);
    }
    const next = validated.values();
    return keys.map((key) =>
      canBeKey(textOf(key)) ? (next.next().value as Validation) : refused('key_malformed', null),
    );
  }

  async #validateBatch(keys: KeyToValidate[], options: ValidateOptions): Promise<Validation[]> {
    try {
      const response = await this.#send({ keys }, options);
      const results = response.body as BatchResult[];
      if (!Array.isArray(results) || results.length !== keys.length) unexpected(response);
      return results.map((result) => verdictOfItem(result) ?? unexpected(response));
    } catch (error) {
      if (isTooLarge(error) && keys.length > 1) {
        const half = Math.ceil(keys.length / 2);
        const first = await this.#validateBatch(keys.slice(0, half), options);
        return first.concat(await this.#validateBatch(keys.slice(half), options));
      }
      const outcome = await this.#withoutResponse(error, options);
      return keys.map(() => outcome);
    }
  }

  #send(
    what: { key: string } | { keys: KeyToValidate[] },
    options: ValidateOptions,
    cost?: CostInput,
  ): Promise<ApiResponse> {
    const { permissions, resource } = options;
    // In this order the server reads them fastest.
    const body = { ...what, permissions, clientIP: addressIn(options), cost, resource };
    return this.#calls.send(body, originHeader(options.originDomain), options);
  }

  async #withoutResponse(error: unknown, options: ValidateOptions): Promise<Undecided> {
    const policy = options.onUnavailable ?? this.#onUnavailable;
    if (!(error instanceof KeywardUnavailable) || policy === undefined) throw error;
    const decision = typeof policy === 'function' ? await policy(error) : policy;
    return { valid: null, allowed: decision === 'allow', record: null, rateLimit: null, error };
  }
}

/** The records of the keys are too large for one response. None of them was counted. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof KeywardError && error.code === 'batch_too_large';

/**
 * Leaves out a domain that is not a valid header value; the server then refuses keys with domains.
 * Otherwise `fetch` would throw, and `onUnavailable: 'allow'` would admit the request.
 */
export const originHeader = (domain: string | undefined): Record<string, string> =>
  domain !== undefined && /^[\x21-\x7e]{1,512}$/.test(domain) ? { 'x-origin-domain': domain } : {};

export const isCost = (cost: CostInput): cost is number =>
  typeof cost === 'number' && Number.isInteger(cost) && cost >= 0 && cost <= COST_MAX;

/** In a batch, each key has its own cost. */
function withCost(key: KeyToValidate, cost: CostInput | undefined): KeyToValidate {
  if (cost === undefined) return key;
  return typeof key === 'string' ? { key, cost } : { ...key, cost: key.cost ?? cost };
}

/** Leaves out text that is not an address; the server then refuses keys with `allowedIPs`. */
const addressIn = ({ clientIP }: ValidateOptions): string | undefined =>
  typeof clientIP === 'string' && parseAddress(clientIP) !== null ? clientIP : undefined;

/**
 * Throws the error that the server would respond with. Checked here too: if `permissions` is a function by
 * mistake, `JSON.stringify` leaves it out, and the server would require nothing.
 */
export function requirementOf(permissions: PermissionsInput | undefined): Requirement | null {
  try {
    return permissions === undefined ? null : readRequirement(permissions);
  } catch (error) {
    throw new KeywardError({
      code: 'invalid_body',
      message: (error as Error).message,
      statusCode: 400,
      requestId: null,
      retryAfterSeconds: null,
    });
  }
}

export function unexpected(response: ApiResponse): never {
  throw new KeywardError({
    code: 'unexpected_response',
    message: 'The response is not the result of a validation. Check `url`.',
    statusCode: response.status,
    requestId: null,
    retryAfterSeconds: null,
  });
}
