import type { LeasedKey } from '../generated/api-types.ts';
import { KeywardError } from '../http/errors.ts';
import { accessKeyOf, baseOf } from '../http/options.ts';
import { Transport } from '../http/transport.ts';
import type { KeywardOptions } from '../keyward.ts';
import { canBeAsked } from '../validation/batches.ts';
import { isVerdict, type Refused, rateLimitOf, verdictOf } from '../validation/outcome.ts';
import { originHeader, type ValidateOptions } from '../validation/validator.ts';
import type { GrantedLease, ReturnedLease } from './lease.ts';
import type { Report } from './usage.ts';

/** A key that we may answer for. */
export interface Lent {
  /** When it was asked for, on our clock: all lengths in the answer count from here. */
  readonly asked: number;
  readonly body: LeasedKey;
  readonly lease: GrantedLease | null;
}

const LEASES_PER_CALL = 300;
/** What cannot be given back soon is not worth giving back. */
const LEASES_WAITING_MAX = 3_000;

/** Said of a report: sending it again would change nothing. */
const HOPELESS = new Set<number | null>([400, 413, 422]);

/** What local validation asks and tells the server. */
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
    const { fetch: given = fetch } = this.#options;
    const accessKey = accessKeyOf(this.#options);
    return given(this.#url, {
      redirect: 'manual',
      headers: {
        accept: 'text/event-stream',
        ...(accessKey !== undefined && { 'x-api-key': accessKey }),
        ...(cursor !== null && { 'last-event-id': cursor }),
      },
      signal,
    });
  }

  /** Null when it is nothing that could be a key. Not sent twice: the first may have been granted. */
  async lend(
    key: string,
    lease: number,
    options: ValidateOptions,
  ): Promise<Lent | { readonly refusal: Refused } | null> {
    if (!canBeAsked(key)) return null;
    const asked = performance.now();
    const request = {
      body: { key, lease },
      headers: originHeader(options.originDomain),
      accepts: isVerdict,
    };
    const answer = await this.#transport.send('validateApiKeys', request, {
      ...options,
      retries: 0,
    });
    const verdict = verdictOf(answer);
    if (verdict?.valid === false) return { refusal: verdict };
    const body = answer.body as LeasedKey;
    // A server from before leases answers with the bare record.
    if (verdict !== null || typeof body.record?.id !== 'string') return null;
    const state = rateLimitOf(answer.headers);
    const granted = body.lease && {
      id: body.lease.id,
      left: body.lease.granted,
      endsAt: asked + body.lease.resetInMs,
      state: state!,
    };
    return { asked, body, lease: granted };
  }

  /** True: it need not be sent again. */
  async report(report: Report): Promise<boolean> {
    try {
      await this.#transport.send('reportUsage', { body: report });
      return true;
    } catch (error) {
      return error instanceof KeywardError && HOPELESS.has(error.statusCode);
    }
  }

  toGiveBack(leases: readonly ReturnedLease[]): void {
    if (this.#returning.length < LEASES_WAITING_MAX) this.#returning.push(...leases);
  }

  /** Tried once: what is not given back is lost to its window, and to nobody else. */
  async giveBack(): Promise<void> {
    const all = this.#returning;
    this.#returning = [];
    for (let start = 0; start < all.length; start += LEASES_PER_CALL) {
      const leases = all.slice(start, start + LEASES_PER_CALL);
      await this.#transport.send('returnLeases', { body: { leases } }).catch(() => {});
    }
  }
}
