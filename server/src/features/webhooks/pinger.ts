import { type Principal, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { type Clock, isoTime } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import { visibleWebhook } from './access.ts';
import { type CustomHeaders, parseCustomHeaders } from './custom-headers.ts';
import { decryptHeaders } from './encryption.ts';
import { headerSecrets, unmaskHeaders } from './header-masks.ts';
import type { Ping, PingResult } from './schema.ts';
import type { AllowList } from './transport/address-rules.ts';
import type { WebhookAgent } from './transport/guarded-agent.ts';
import { sendOnce } from './transport/send.ts';
import { checkTarget } from './transport/target.ts';

const DEADLINE_MS = 15_000;

/** Limit of pings in progress on this node, for all accounts. A ping to a hanging endpoint takes 15 s. */
const IN_PROGRESS_MAX = 32;

interface PingerParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly agent: WebhookAgent;
  readonly allow: AllowList;
  readonly clock: Clock;
  /** The same as for deliveries. */
  readonly userAgent: string;
}

/**
 * Tests an endpoint, also before there is a webhook for it. The request goes through the same guarded
 * agent as deliveries, but is not signed, because there may be no secret yet.
 */
export class Pinger {
  readonly #parts: PingerParts;
  readonly #quota = new PingQuota();
  #inProgress = 0;

  constructor(parts: PingerParts) {
    this.#parts = parts;
  }

  async ping(principal: Principal, input: Ping): Promise<PingResult> {
    const headers = await this.#headers(principal, input);
    const url = checkTarget(input.url, this.#parts.allow);
    if (this.#inProgress >= IN_PROGRESS_MAX)
      throw new KeywardError(
        'overloaded',
        'Too many pings are in progress. Retry after the time in Retry-After.',
        {
          headers: ['Retry-After', '1'],
        },
      );
    const release = this.#quota.take(tenantOf(principal).accountId, this.#parts.clock());
    this.#inProgress++;
    try {
      return await this.#send(url, input, headers);
    } finally {
      this.#inProgress--;
      release();
    }
  }

  /** A masked value is replaced by the stored value of the webhook, but only if the ping goes to its URL. */
  async #headers(principal: Principal, input: Ping): Promise<CustomHeaders> {
    const headers = readHeaders(input);
    if (input.webhookId === undefined) return unmaskHeaders(headers, {});
    const { storage, secrets } = this.#parts;
    const row = await visibleWebhook(storage.point, principal, 'webhooks:write', input.webhookId);
    return unmaskHeaders(headers, row.url === input.url ? decryptHeaders(secrets, row) : {});
  }

  async #send(url: string, input: Ping, headers: CustomHeaders): Promise<PingResult> {
    const { agent, clock, userAgent } = this.#parts;
    const now = clock();
    const { outcome, statusCode, durationMs, responseBody, error } = await sendOnce({
      agent,
      url,
      method: input.httpMethod ?? 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...headers },
      body: JSON.stringify(input.body === undefined ? testMessage(now) : input.body),
      deadlineMs: DEADLINE_MS,
      redact: headerSecrets(headers),
      now,
    });
    return { success: outcome === 'delivered', statusCode, durationMs, responseBody, error };
  }
}

/** `ping` is not a topic, so receivers do not mistake it for an event. */
const testMessage = (now: number) => ({ type: 'ping', timestamp: isoTime(now), data: {} });

function readHeaders({ customHeaders, headers }: Ping): CustomHeaders {
  if (customHeaders !== undefined && headers !== undefined)
    throw new KeywardError('invalid_body', 'Send customHeaders or headers, not both.');
  return parseCustomHeaders(customHeaders ?? headers ?? {});
}

const WINDOW_MS = 60_000;
const ACCOUNT_PER_WINDOW_MAX = 60;
const ACCOUNT_IN_PROGRESS_MAX = 4;
/** Beyond this many accounts, those whose window has ended and that have no ping in progress are removed. */
const ACCOUNTS_MAX = 1_000;

interface Use {
  windowEnd: number;
  count: number;
  inProgress: number;
}

/** Limits the pings of an account on this node: per minute, and in progress at a time. */
class PingQuota {
  readonly #uses = new Map<string, Use>();

  /** Returns the function that ends the ping; throws if the account is over its limit. */
  take(accountId: string, now: number): () => void {
    const use = this.#useOf(accountId, now);
    if (use.inProgress >= ACCOUNT_IN_PROGRESS_MAX) throw tooMany(1);
    if (use.count >= ACCOUNT_PER_WINDOW_MAX) throw tooMany(Math.ceil((use.windowEnd - now) / 1000));
    use.count++;
    use.inProgress++;
    return () => {
      use.inProgress--;
    };
  }

  #useOf(accountId: string, now: number): Use {
    const use = this.#uses.get(accountId) ?? { windowEnd: 0, count: 0, inProgress: 0 };
    if (now >= use.windowEnd) {
      use.windowEnd = now + WINDOW_MS;
      use.count = 0;
    }
    if (!this.#uses.has(accountId) && this.#uses.size >= ACCOUNTS_MAX) this.#dropIdle(now);
    this.#uses.set(accountId, use);
    return use;
  }

  #dropIdle(now: number): void {
    for (const [id, use] of this.#uses)
      if (use.inProgress === 0 && now >= use.windowEnd) this.#uses.delete(id);
  }
}

const tooMany = (retryAfter: number): KeywardError =>
  new KeywardError('too_many_pings', undefined, { headers: ['Retry-After', String(retryAfter)] });
