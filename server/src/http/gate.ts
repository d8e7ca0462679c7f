import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Counters } from '../cluster/counters/counters.ts';
import type { HeldAccessKey } from '../features/access-keys/index.ts';
import { rateLimitHeaders } from '../features/rate-limits/index.ts';
import { holdsScope, lacksScope, type Principal } from '../kernel/authority.ts';
import type { Clock } from '../kernel/clock.ts';
import { KeywardError } from '../kernel/errors.ts';
import type { Authenticator } from './authenticate.ts';
import { repeatedHeader } from './credentials.ts';
import { tryLater } from './error-answers.ts';
import { refuseOtherSites } from './other-sites.ts';
import type { Overload } from './overload.ts';

const MANAGEMENT_WINDOW_MS = 60_000;

/** Every request of a misconfigured gateway fails: the log gets the reason once a minute. */
const MISTAKE_LOG_INTERVAL_MS = 60_000;

const TOO_MUCH_OF_ONE_CALLER =
  'Too many requests of this access key are under way at once. Wait for some of them to be answered before sending more.';

/** What every request for a route passes before its body is read: cheap checks first. */
export class Gate {
  readonly #authenticator: Authenticator;
  readonly #counters: Counters;
  readonly #overload: Overload;
  readonly #isUpToDate: () => boolean;
  readonly #managementLimit: number;
  readonly #publicUrl: () => string;
  readonly #clock: Clock;
  #nextMistakeLogAt = 0;

  constructor(parts: {
    authenticator: Authenticator;
    counters: Counters;
    overload: Overload;
    isUpToDate: () => boolean;
    managementLimit: number;
    publicUrl: () => string;
    clock: Clock;
  }) {
    this.#authenticator = parts.authenticator;
    this.#counters = parts.counters;
    this.#overload = parts.overload;
    this.#isUpToDate = parts.isUpToDate;
    this.#managementLimit = parts.managementLimit;
    this.#publicUrl = parts.publicUrl;
    this.#clock = parts.clock;
  }

  async pass(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await this.#check(request, reply);
    } catch (error) {
      throw this.#isGatewayMistake(error, request) ? tryLater('keyward_unavailable', error) : error;
    }
  }

  /**
   * Some gateways forward every 401 and 403 to their user, who would take an error about the
   * gateway's own access key for one about their key. Such a gateway asks for a 503 instead.
   */
  #isGatewayMistake(error: unknown, { headers, routeOptions, log }: FastifyRequest): boolean {
    if (routeOptions.config.route?.credentialHeader === undefined) return false;
    if (headers['x-keyward-own-errors'] !== '503') return false;
    if (!(error instanceof KeywardError) || ![401, 403].includes(error.status)) return false;
    const now = this.#clock();
    if (now >= this.#nextMistakeLogAt) {
      this.#nextMistakeLogAt = now + MISTAKE_LOG_INTERVAL_MS;
      log.warn({ code: error.code }, `access key of a gateway rejected: ${error.message}`);
    }
    return true;
  }

  async #check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { route } = request.routeOptions.config;
    if (route?.fromPages) refuseOtherSites(request.raw, this.#publicUrl());
    if (route === undefined || route.access === 'public') return;
    if (this.#overload.shedding) throw this.#overload.refusal();
    // Whoever is known from memory may have been revoked elsewhere in the meantime.
    if (!this.#isUpToDate())
      throw new KeywardError('node_isolated', undefined, { headers: ['Retry-After', '1'] });
    const principal = await this.#authenticator.authenticate(request, route);
    request.principal = principal;
    this.#takeSlot(principal, request, reply);
    if (principal.kind === 'user' && request.method !== 'GET')
      refuseOtherSites(request.raw, this.#publicUrl());
    if (route.access === 'person') {
      if (principal.kind !== 'user') throw new KeywardError('people_only');
    } else if (
      !(route.personal && principal.kind === 'user') &&
      !holdsScope(principal, route.access)
    )
      throw lacksScope(principal, route.access);
    if (!route.unmetered) await this.#meter(principal, reply);
  }

  /** Counted before anything is awaited: of many requests at once, none may slip past the limit. */
  #takeSlot({ id }: Principal, request: FastifyRequest, { raw }: FastifyReply): void {
    const overload = this.#overload;
    if (overload.isFullFor(id)) throw overload.refusal(TOO_MUCH_OF_ONE_CALLER);
    // A stream is not work under way, and has limits of its own.
    if (request.routeOptions.config.route?.stream || raw.closed) return;
    overload.hold(id);
    raw.once('close', () => overload.release(id));
  }

  /** Management calls have a window of their own per access key, and per person. */
  async #meter(principal: Principal, reply: FastifyReply): Promise<void> {
    if (principal.kind === 'operator') return;
    const own = principal.kind === 'access-key' ? (principal as HeldAccessKey) : null;
    const limit = own?.rateLimit ?? this.#managementLimit;
    const ttlMs = own?.rateLimit ? own.rateLimitTtlMs : MANAGEMENT_WINDOW_MS;
    const now = this.#clock();
    const taken = await this.#counters.take(principal.id, limit, ttlMs, now);
    const headers = rateLimitHeaders(limit, taken, now);
    for (let i = 0; i < headers.length; i += 2) reply.header(headers[i]!, headers[i + 1]!);
    if (!taken.allowed) throw new KeywardError('management_rate_limited');
  }
}

/** Refuses requests that two HTTP parsers on the way may read differently. */
export function refuseAmbiguous({ url, headers, rawHeaders, httpVersion }: IncomingMessage): void {
  // The router would take the host off and look for the rest.
  if (!url!.startsWith('/'))
    throw new KeywardError('invalid_path', 'Send the path alone, not a whole URL.');
  const repeated = repeatedHeader(rawHeaders);
  if (repeated !== undefined)
    throw new KeywardError('invalid_header', `The header ${repeated} may come only once.`);
  // HTTP/1.0 does not know it: a proxy in front may have read the body as something else.
  if (headers['transfer-encoding'] !== undefined && httpVersion === '1.0')
    throw new KeywardError(
      'invalid_header',
      'HTTP/1.0 has no transfer-encoding. Send content-length, or HTTP/1.1.',
      { headers: ['Connection', 'close'] },
    );
  // Probes of load balancers may speak HTTP/1.0, which does not ask for it.
  if (headers.host === undefined && httpVersion !== '1.0')
    throw new KeywardError('invalid_header', 'The header host is missing.');
}
