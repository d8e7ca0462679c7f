import type { BatchResult, LeasedKey } from '../generated/api-types.ts';
import type { Breaker } from '../http/breaker.ts';
import { KeywardError } from '../http/errors.ts';
import { accessKeyOf, baseOf, type CallOptions } from '../http/options.ts';
import { Transport } from '../http/transport.ts';
import { canBeKey } from '../validation/batches.ts';
import { type Refused, verdictOf } from '../validation/outcome.ts';
import { ValidationCalls } from '../validation/validation-calls.ts';
import { isTooLarge, originHeader, unexpected } from '../validation/validator.ts';
import type { ReturnedLease } from './leases/lease-returns.ts';
import type { WantedLeases } from './leases/quotas.ts';
import type { LocalOptions } from './options.ts';
import type { Report } from './usage.ts';

/** A validated key, with leases of its limits and credits. */
export interface LeaseResponse {
  /** When the request was sent, on our clock. Durations in the response count from then. */
  readonly requestedAt: number;
  readonly body: LeasedKey;
}

/** What the server says about a value that may be cached before it is used. */
export type Described = LeaseResponse | 'refused' | 'unleased';

export interface LeaseRequest {
  /** Cost of the request that needs the leases; 0: they are only for later requests. */
  readonly cost: number;
  readonly leases?: WantedLeases | undefined;
  readonly origin: string | undefined;
}

/** Statuses after which a retry cannot succeed. */
const FINAL_STATUSES = new Set<number | null>([400, 413, 422]);
const isFinal = (error: unknown): boolean =>
  error instanceof KeywardError && FINAL_STATUSES.has(error.statusCode);

/** The requests that local validation sends to the server. */
export class ServerRequests {
  readonly #options: LocalOptions;
  readonly #transport: Transport;
  readonly #validations: ValidationCalls;
  readonly #url: string;

  constructor(options: LocalOptions, breaker: Breaker) {
    this.#options = options;
    this.#transport = new Transport(options);
    this.#validations = new ValidationCalls(this.#transport, options, breaker);
    this.#url = `${baseOf(options)}/changes`;
  }

  changes(signal: AbortSignal, cursor: string | null): Promise<Response> {
    const { fetch: send = fetch } = this.#options;
    const accessKey = accessKeyOf(this.#options);
    return send(this.#url, {
      redirect: 'manual',
      headers: {
        accept: 'text/event-stream',
        ...(accessKey !== undefined && { 'x-api-key': accessKey }),
        ...(cursor !== null && { 'last-event-id': cursor }),
      },
      signal,
    });
  }

  /**
   * Null if the value cannot be a key, or if the server must validate it each time. Never retried: the server
   * may have granted the leases although its response was lost. `leases` is undefined until the limits and
   * credits of the key are known.
   */
  async requestLease(
    key: string,
    { cost, leases, origin }: LeaseRequest,
    options: CallOptions = {},
  ): Promise<LeaseResponse | { readonly refusal: Refused } | null> {
    if (!canBeKey(key)) return null;
    const requestedAt = performance.now();
    const response = await this.#validations.send(
      { key, lease: 1, policies: true, cost, leases },
      originHeader(origin),
      { ...options, retries: 0 },
    );
    const verdict = verdictOf(response);
    if (verdict?.valid === false) return { refusal: verdict };
    const body = response.body as LeasedKey;
    // The response is the record alone: the key changed during the request, or the server does not lease it.
    if (verdict !== null || typeof body.record?.id !== 'string') return null;
    return { requestedAt, body };
  }

  /**
   * What is needed to validate these keys here, without leases, in their order. Nothing is counted, so it may be
   * repeated.
   */
  async describe(values: readonly string[], options: CallOptions): Promise<Described[]> {
    const requestedAt = performance.now();
    const body = { keys: [...values], lease: 0, policies: true };
    try {
      const response = await this.#validations.send(body, {}, options);
      const results = response.body as (LeasedKey | BatchResult)[];
      if (!Array.isArray(results) || results.length !== values.length) unexpected(response);
      return results.map((result) => {
        if ('behindMs' in result) return { requestedAt, body: result };
        return result.valid ? 'unleased' : 'refused';
      });
    } catch (error) {
      if (!isTooLarge(error) || values.length === 1) throw error;
      const half = Math.ceil(values.length / 2);
      const first = await this.describe(values.slice(0, half), options);
      return first.concat(await this.describe(values.slice(half), options));
    }
  }

  /** Returns true if the report need not be sent again. */
  async report(report: Report): Promise<boolean> {
    try {
      await this.#transport.send('reportUsage', { body: report });
      return true;
    } catch (error) {
      if (!isFinal(error)) return false;
      // The samples may be the reason, so the counts are sent again without them. The server has stored
      // nothing under this report number, so nothing is counted twice.
      const { refusals, ...counts } = report;
      return refusals === undefined || this.report(counts);
    }
  }

  /** Returns true if the leases need not be sent again: returned, or rejected for good. */
  async returnLeases(leases: ReturnedLease[]): Promise<boolean> {
    try {
      await this.#transport.send('returnLeases', { body: { leases } });
      return true;
    } catch (error) {
      return isFinal(error);
    }
  }
}
