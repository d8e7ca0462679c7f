import type { LeasedKey } from '../generated/api-types.ts';
import { KeywardError } from '../http/errors.ts';
import { accessKeyOf, baseOf } from '../http/options.ts';
import { Transport } from '../http/transport.ts';
import type { KeywardOptions } from '../keyward.ts';
import { canBeKey } from '../validation/batches.ts';
import { isVerdict, type Refused, rateLimitOf, verdictOf } from '../validation/outcome.ts';
import { originHeader, type ValidateOptions } from '../validation/validator.ts';
import type { GrantedLease, ReturnedLease } from './lease.ts';
import type { Report } from './usage.ts';

/** A validated key, with a lease if the key has a limit. */
export interface LeaseResponse {
  /** When the request was sent, on our clock; durations in the response count from here. */
  readonly requestedAt: number;
  readonly body: LeasedKey;
  readonly lease: GrantedLease | null;
}

const LEASES_PER_CALL = 300;
/** Leases beyond this number are dropped: they could not be returned soon enough to be useful. */
const LEASES_WAITING_MAX = 3_000;

/** Statuses for which sending a report again would not help. */
const FINAL_STATUSES = new Set<number | null>([400, 413, 422]);

/** The requests that local validation sends to the server. */
export class Server {
  readonly #options: KeywardOptions;
  readonly #transport: Transport;
  readonly #url: string;
  #returning: ReturnedLease[] = [];

  constructor(options: KeywardOptions) {
    this.#options = options;
    this.#transport = new Transport(options);
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
   * Null when the value cannot be a key, or the server has no leases. Not retried: the first request may
   * have been granted.
   */
  async requestLease(
    key: string,
    lease: number,
    options: ValidateOptions,
  ): Promise<LeaseResponse | { readonly refusal: Refused } | null> {
    if (!canBeKey(key)) return null;
    const requestedAt = performance.now();
    const request = {
      body: { key, lease, policies: true },
      headers: originHeader(options.originDomain),
      accepts: isVerdict,
    };
    const response = await this.#transport.send('validateApiKeys', request, {
      ...options,
      retries: 0,
    });
    const verdict = verdictOf(response);
    if (verdict?.valid === false) return { refusal: verdict };
    const body = response.body as LeasedKey;
    // A server from before leases returns only the record.
    if (verdict !== null || typeof body.record?.id !== 'string') return null;
    const state = rateLimitOf(response.headers);
    const granted = body.lease && {
      id: body.lease.id,
      left: body.lease.granted,
      endsAt: requestedAt + body.lease.resetInMs,
      state: state!,
    };
    return { requestedAt, body, lease: granted };
  }

  /** Returns true if the report need not be sent again. */
  async report(report: Report): Promise<boolean> {
    try {
      await this.#transport.send('reportUsage', { body: report });
      return true;
    } catch (error) {
      return error instanceof KeywardError && FINAL_STATUSES.has(error.statusCode);
    }
  }

  queueReturn(leases: readonly ReturnedLease[]): void {
    if (this.#returning.length < LEASES_WAITING_MAX) this.#returning.push(...leases);
  }

  /** Tried once: a lease that is not returned is lost only until its window ends. */
  async returnLeases(): Promise<void> {
    const all = this.#returning;
    this.#returning = [];
    for (let start = 0; start < all.length; start += LEASES_PER_CALL) {
      const leases = all.slice(start, start + LEASES_PER_CALL);
      await this.#transport.send('returnLeases', { body: { leases } }).catch(() => {});
    }
  }
}
