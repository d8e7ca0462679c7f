import type { Counters } from '../../cluster/counters/counters.ts';
import { type Principal, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { type Clock, isoTime } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import { type AccountLimit, takeFromAccount } from '../rate-limits/index.ts';
import { visibleWebhook } from './access.ts';
import { AuthorRights, type ReadPrincipal } from './author-rights.ts';
import { type CustomHeaders, parseCustomHeaders } from './custom-headers.ts';
import { decryptHeaders } from './encryption.ts';
import { headerSecrets, unmaskHeaders } from './header-masks.ts';
import type { Ping, PingResult } from './schema.ts';
import { creatorOf, setByOf } from './setting-authors.ts';
import type { AllowList } from './transport/address-rules.ts';
import type { WebhookAgent } from './transport/guarded-agent.ts';
import { sendOnce } from './transport/send.ts';
import { checkTarget } from './transport/target.ts';

const DEADLINE_MS = 15_000;

/** Limit of pings in progress on this node, for all accounts. A ping to a hanging endpoint takes 15 s. */
const IN_PROGRESS_MAX = 32;
const ACCOUNT_IN_PROGRESS_MAX = 4;
const PER_MINUTE: AccountLimit = { name: 'pings', limit: 60, ttlMs: 60_000 };

interface PingerParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly agent: WebhookAgent;
  readonly allow: AllowList;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly readPrincipal: ReadPrincipal;
  /** The same as for deliveries. */
  readonly userAgent: string;
}

/**
 * Tests an endpoint, also before there is a webhook for it. The request goes through the same guarded
 * agent as deliveries, but is not signed, because there may be no secret yet.
 */
export class Pinger {
  readonly #parts: PingerParts;
  /** The accounts of the pings in progress on this node, one entry for each ping. */
  readonly #inProgress: string[] = [];

  constructor(parts: PingerParts) {
    this.#parts = parts;
  }

  async ping(principal: Principal, input: Ping): Promise<PingResult> {
    const headers = await this.#headers(principal, input);
    const url = checkTarget(input.url, this.#parts.allow);
    const { accountId } = tenantOf(principal);
    if (this.#inProgress.length >= IN_PROGRESS_MAX)
      throw new KeywardError(
        'overloaded',
        'Too many pings are in progress. Retry after the time in Retry-After.',
        { headers: ['Retry-After', '1'] },
      );
    if (this.#inProgress.filter((id) => id === accountId).length >= ACCOUNT_IN_PROGRESS_MAX)
      throw tooMany(1);
    this.#inProgress.push(accountId);
    try {
      await this.#count(accountId);
      return await this.#send(url, input, headers);
    } finally {
      this.#inProgress.splice(this.#inProgress.indexOf(accountId), 1);
    }
  }

  async #count(accountId: string): Promise<void> {
    const { counters, clock } = this.#parts;
    const now = clock();
    const { allowed, resetAt } = await takeFromAccount(counters, accountId, PER_MINUTE, 1, now);
    if (!allowed) throw tooMany(Math.max(1, Math.ceil((resetAt - now) / 1000)));
  }

  /** A masked value is replaced by the stored value of the webhook, but only if the ping goes to its URL. */
  async #headers(principal: Principal, input: Ping): Promise<CustomHeaders> {
    const headers = readHeaders(input);
    if (input.webhookId === undefined) return unmaskHeaders(headers, {});
    const { storage, secrets, readPrincipal, clock } = this.#parts;
    const row = await visibleWebhook(storage.point, principal, 'webhooks:write', input.webhookId);
    const stored = row.url === input.url ? decryptHeaders(secrets, row) : {};
    const sent = unmaskHeaders(headers, stored);
    // The caller chooses the body: it would seem to come from the author of the headers.
    if (Object.entries(sent).some(([name, value]) => headers[name] !== value)) {
      const rights = new AuthorRights(readPrincipal, storage.point, clock());
      const authors = [creatorOf(row), setByOf(row).customHeaders];
      await rights.require(principal, row, authors, 'send stored values of customHeaders');
    }
    return sent;
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

const tooMany = (retryAfter: number): KeywardError =>
  new KeywardError('too_many_pings', undefined, { headers: ['Retry-After', String(retryAfter)] });
