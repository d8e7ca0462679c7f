import type { Dispatcher } from 'undici';
import { type Principal, tenantOf } from '../../kernel/authority.ts';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Storage } from '../../storage/index.ts';
import type { AllowList } from './delivery/address-rules.ts';
import { type CustomHeaders, parseCustomHeaders } from './delivery/custom-headers.ts';
import { sendOnce } from './delivery/send.ts';
import { parseTarget } from './delivery/target.ts';
import { headerSecrets, unmaskHeaders } from './header-masks.ts';
import { PingQuota } from './ping-quota.ts';
import type { Ping, PingResult } from './schema.ts';
import { openHeaders } from './sealing.ts';
import { visibleWebhook } from './visible-webhook.ts';

const DEADLINE_MS = 15_000;

/** Of all accounts together: an endpoint that does not answer holds a ping for 15 s. */
const UNDER_WAY_MAX = 32;

/**
 * Tries an endpoint before there is a webhook for it: the same way out as deliveries, with the same
 * guard, but unsigned, since there is no secret yet.
 */
export class Pinger {
  readonly #storage: Storage;
  readonly #secrets: Secrets;
  readonly #agent: Dispatcher;
  readonly #allow: AllowList;
  readonly #clock: Clock;
  readonly #quota = new PingQuota();
  #underWay = 0;

  constructor(parts: {
    storage: Storage;
    secrets: Secrets;
    agent: Dispatcher;
    allow: AllowList;
    clock: Clock;
  }) {
    this.#storage = parts.storage;
    this.#secrets = parts.secrets;
    this.#agent = parts.agent;
    this.#allow = parts.allow;
    this.#clock = parts.clock;
  }

  async ping(principal: Principal, input: Ping): Promise<PingResult> {
    const headers = await this.#headers(principal, input);
    const { url } = parseTarget(input.url, this.#allow);
    if (this.#underWay >= UNDER_WAY_MAX)
      throw new KeywardError('overloaded', 'Too many pings are under way. Try again shortly.', {
        headers: ['Retry-After', '1'],
      });
    const giveBack = this.#quota.take(tenantOf(principal).accountId, this.#clock());
    this.#underWay++;
    try {
      return await this.#send(url, input, headers);
    } finally {
      this.#underWay--;
      giveBack();
    }
  }

  /** Masked values stand for those of the webhook, but only on the way to its own URL. */
  async #headers(principal: Principal, input: Ping): Promise<CustomHeaders> {
    const headers = readHeaders(input);
    if (input.webhookId === undefined) return unmaskHeaders(headers, {});
    const { point } = this.#storage;
    const row = await visibleWebhook(point, principal, 'webhooks:write', input.webhookId);
    return unmaskHeaders(headers, row.url === input.url ? openHeaders(this.#secrets, row) : {});
  }

  async #send(url: string, input: Ping, headers: CustomHeaders): Promise<PingResult> {
    const now = this.#clock();
    const { outcome, statusCode, durationMs, responseBody, error } = await sendOnce({
      agent: this.#agent,
      url,
      method: input.httpMethod ?? 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Keyward-Webhooks', ...headers },
      body: JSON.stringify(input.body === undefined ? testMessage(now) : input.body),
      deadlineMs: DEADLINE_MS,
      redact: headerSecrets(headers),
      now,
    });
    return { success: outcome === 'delivered', statusCode, durationMs, responseBody, error };
  }
}

/** No topic of ours, so that a receiver does not take it for an event. */
const testMessage = (now: number) => ({ type: 'ping', timestamp: isoTime(now), data: {} });

function readHeaders({ customHeaders, headers }: Ping): CustomHeaders {
  if (customHeaders !== undefined && headers !== undefined)
    throw new KeywardError('invalid_body', 'Send customHeaders or headers, not both.');
  return parseCustomHeaders(customHeaders ?? headers ?? {});
}
