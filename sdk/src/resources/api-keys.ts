import type { Calls } from '../http/calls.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';
import type { KeyToValidate } from '../validation/batches.ts';
import type { ValidateOptions, Validator } from '../validation/validator.ts';

/** `crypto.subtle` exists in Node, and in browsers on pages that came over HTTPS or from localhost. */
async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The keys that you issue to the users of your API. `key` is a value or an id (`key_…`). */
export class ApiKeys {
  readonly #calls: Calls;
  readonly #validator: Validator;

  constructor(calls: Calls, validator: Validator) {
    this.#calls = calls;
    this.#validator = validator;
  }

  /** The response contains the value of the key; it is shown only this once. */
  create(body: BodyOf<'createApiKey'>, options?: CallOptions) {
    return this.#calls.call('createApiKey', { body }, options);
  }

  list(query: QueryOf<'listApiKeys'> = {}, options?: CallOptions) {
    return this.#calls.list('listApiKeys', { query }, options);
  }

  /** Takes the same filters as `list`. */
  count(query: QueryOf<'countApiKeys'> = {}, options?: CallOptions) {
    return this.#calls.call('countApiKeys', { query }, options);
  }

  /** By its value, of which only the hash is sent. 404 if no key has it. */
  async findByValue(value: string, options?: CallOptions) {
    const body = { sha256: await sha256Hex(value) };
    return this.#calls.call('findApiKey', { body }, options);
  }

  get(key: string, options?: CallOptions) {
    return this.#calls.call('getApiKey', { path: { key } }, options);
  }

  /** The key with `effective`: what applies to it through its customer and plan, and where it is set. */
  getEffective(key: string, options?: CallOptions) {
    return this.#calls.call('getApiKey', { path: { key }, query: { effective: true } }, options);
  }

  /** Omitted fields do not change, null clears a field; `customMetaData` is replaced as a whole. */
  update(key: string, body: BodyOf<'updateApiKey'>, options?: CallOptions) {
    return this.#calls.call('updateApiKey', { path: { key }, body }, options);
  }

  /** The key is refused from now on; `reactivate` undoes this. */
  revoke(key: string, options?: CallOptions) {
    return this.#calls.call('deleteApiKey', { path: { key } }, options);
  }

  /** Deletes the key and its usage permanently. */
  erase(key: string, options?: CallOptions) {
    return this.#calls.call('deleteApiKey', { path: { key }, query: { permanent: true } }, options);
  }

  reactivate(key: string, options?: CallOptions) {
    return this.#calls.call('reactivateApiKey', { path: { key } }, options);
  }

  /** Creates a key with a new id and value; this one becomes invalid immediately, or after `graceSeconds`. */
  rotate(key: string, body: BodyOf<'rotateApiKey'> = {}, options?: CallOptions) {
    return this.#calls.call('rotateApiKey', { path: { key }, body }, options);
  }

  /** Adds or sets credits of the key: `{ add: 100 }` or `{ set: 0 }`. */
  changeCredits(key: string, body: BodyOf<'changeApiKeyCredits'>, options?: CallOptions) {
    return this.#calls.call('changeApiKeyCredits', { path: { key }, body }, options);
  }

  /** The credits of the key, with the grants that have some left. */
  credits(key: string, options?: CallOptions) {
    return this.#calls.call('getApiKeyCredits', { path: { key } }, options);
  }

  /** What was granted, spent and expired in a period. Default: this month, in UTC. */
  creditStatement(
    key: string,
    query: Omit<QueryOf<'getApiKeyCreditStatement'>, 'format'> = {},
    options?: CallOptions,
  ) {
    return this.#calls.call('getApiKeyCreditStatement', { path: { key }, query }, options);
  }

  /** Imports up to 1,000 keys of another system per call. Keys that were already imported do not change. */
  import(body: BodyOf<'importApiKeys'>, options?: CallOptions) {
    return this.#calls.call('importApiKeys', { body }, options);
  }

  /** Checks whether a value is a valid key; see `Validation`. */
  validate(value: string, options?: ValidateOptions) {
    return this.#validator.validate(value, options);
  }

  /** The permissions of an element are required in addition to those in `options`. */
  validateMany(values: readonly KeyToValidate[], options?: ValidateOptions) {
    return this.#validator.validateMany(values, options);
  }

  /** Which checks the key would pass and fail. Counts nothing and takes nothing from its limit. */
  explain(key: string, body: BodyOf<'explainApiKey'> = {}, options?: CallOptions) {
    return this.#calls.call('explainApiKey', { path: { key }, body }, options);
  }
}
