import type { Dispatcher } from 'undici';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { AllowList } from './delivery/address-rules.ts';
import { parseCustomHeaders } from './delivery/custom-headers.ts';
import { sendOnce } from './delivery/send.ts';
import { parseTarget } from './delivery/target.ts';
import type { Ping, PingResult } from './schema.ts';

const DEADLINE_MS = 15_000;

/** A hanging endpoint holds a ping for 15 s; nobody may hold hundreds of connections that way. */
const UNDER_WAY_MAX = 32;

/**
 * Tries an endpoint before there is a webhook for it: the same way out as deliveries, with the same
 * guard, but unsigned, since there is no secret yet.
 */
export class Pinger {
  readonly #agent: Dispatcher;
  readonly #allow: AllowList;
  readonly #clock: Clock;
  #underWay = 0;

  constructor(parts: { agent: Dispatcher; allow: AllowList; clock: Clock }) {
    this.#agent = parts.agent;
    this.#allow = parts.allow;
    this.#clock = parts.clock;
  }

  async ping(input: Ping): Promise<PingResult> {
    const headers = readHeaders(input);
    const { url } = parseTarget(input.url, this.#allow);
    if (this.#underWay >= UNDER_WAY_MAX)
      throw new KeywardError('overloaded', 'Too many pings are under way. Try again shortly.', {
        headers: ['Retry-After', '1'],
      });
    this.#underWay++;
    try {
      return await this.#send(url, input, headers);
    } finally {
      this.#underWay--;
    }
  }

  async #send(url: string, input: Ping, headers: Record<string, string>): Promise<PingResult> {
    const now = this.#clock();
    const { outcome, statusCode, durationMs, responseBody, error } = await sendOnce({
      agent: this.#agent,
      url,
      method: input.httpMethod ?? 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Keyward-Webhooks', ...headers },
      body: JSON.stringify(input.body === undefined ? testMessage(now) : input.body),
      deadlineMs: DEADLINE_MS,
      now,
    });
    return { success: outcome === 'delivered', statusCode, durationMs, responseBody, error };
  }
}

/** No topic of ours, so that a receiver does not take it for an event. */
const testMessage = (now: number) => ({ type: 'ping', timestamp: isoTime(now), data: {} });

function readHeaders({ customHeaders, headers }: Ping): Record<string, string> {
  if (customHeaders !== undefined && headers !== undefined)
    throw new KeywardError('invalid_body', 'Send customHeaders or headers, not both.');
  return parseCustomHeaders(customHeaders ?? headers ?? {});
}
