import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Counters } from '../../cluster/counters/counters.ts';
import type { CachedAccessKey } from '../../features/access-keys/index.ts';
import { rateLimitHeaders } from '../../features/rate-limits/index.ts';
import { holdsScope, lacksScope, type Principal } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { ResponseBudget } from '../../kernel/response-budget.ts';
import type { Route } from '../../kernel/route.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { tryLater } from '../responses/errors.ts';
import { onResponseEnd } from '../responses/on-response-end.ts';
import type { Authenticator } from './authenticate.ts';
import { rejectCrossSite } from './origin-check.ts';
import type { Overload } from './overload.ts';
import { accountOf, customerOf, payerOf } from './payers.ts';
import { PORTAL_LIMIT, requirePortalAccess } from './portal-access.ts';

const MANAGEMENT_WINDOW_MS = 60_000;

/** Every request of a misconfigured gateway fails, so the reason is logged at most once a minute. */
const MISTAKE_LOG_INTERVAL_MS = 60_000;

const TOO_MANY_OF_ACCOUNT =
  'Too many concurrent requests of this account. Wait for responses before sending more.';

/**
 * Customers with a portal session are strangers to each other and to the account: one of them must not use up
 * the share of the account. The portal page sends four requests at a time.
 */
const SHARE_OF_CUSTOMER = 1 / 100;

interface Parts {
  readonly authenticator: Authenticator;
  readonly counters: Counters;
  readonly overload: Overload;
  readonly responses: ResponseBudget;
  readonly isUpToDate: () => boolean;
  readonly managementLimit: number;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** The checks of every request, cheap ones first. */
export class Gate {
  readonly #parts: Parts;
  #nextMistakeLogAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Called before the body is read. */
  pass(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.#withGatewayErrors(request, () => this.#check(request, reply));
  }

  /**
   * Checks the credential again, when a body is complete and between the pages of a list: it may have been
   * revoked, or have lost rights, in the meantime. The operator is exempt, because a signature is valid once.
   */
  async passAgain(request: FastifyRequest): Promise<void> {
    const { route } = request.routeOptions.config;
    if (route === undefined || request.principal === null || request.principal.kind === 'operator')
      return;
    await this.#withGatewayErrors(request, async () =>
      this.#requireRights(await this.#authenticate(request, route), request, route),
    );
  }

  async #withGatewayErrors(request: FastifyRequest, check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!isGatewayMistake(error, request)) throw error;
      this.#logMistake(error, request);
      throw request.headers['x-keyward-own-errors'] === '503'
        ? tryLater('keyward_unavailable', error)
        : error;
    }
  }

  #logMistake({ code, message }: KeywardError, { log }: FastifyRequest): void {
    const now = this.#parts.clock();
    if (now < this.#nextMistakeLogAt) return;
    this.#nextMistakeLogAt = now + MISTAKE_LOG_INTERVAL_MS;
    log.warn({ code }, `access key of a gateway rejected: ${message}`);
  }

  async #check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { route } = request.routeOptions.config;
    if (route?.fromPages) rejectCrossSite(request.raw, this.#parts.publicUrl());
    if (route === undefined) return;
    // The method of the route, not of the request: a probe may be a HEAD request to a GET route.
    const isPublicRead = route.access === 'public' && route.method === 'GET';
    if (!isPublicRead && this.#parts.overload.shedding) throw this.#parts.overload.refusal();
    if (route.access === 'public') return;
    const principal = await this.#authenticate(request, route);
    if (!route.stream) this.#parts.responses.admit(payerOf(principal, route));
    this.#takeSlot(principal, request, reply);
    this.#requireRights(principal, request, route);
    if (!route.unmetered) await this.#meter(principal, reply);
  }

  async #authenticate(request: FastifyRequest, route: Route): Promise<Principal> {
    // A cached access key may have been revoked on another node in the meantime.
    if (!this.#parts.isUpToDate())
      throw new KeywardError('node_isolated', undefined, { headers: ['Retry-After', '1'] });
    request.principal = await this.#parts.authenticator.authenticate(request, route);
    return request.principal;
  }

  #requireRights(principal: Principal, request: FastifyRequest, route: Route): void {
    const { publicUrl } = this.#parts;
    if (principal.kind === 'portal') requirePortalAccess(request, principal, publicUrl());
    if (principal.kind === 'user' && !['GET', 'HEAD'].includes(request.method))
      rejectCrossSite(request.raw, publicUrl());
    const { access } = route;
    if (access === 'public' || access === 'portal') return;
    if (access === 'person') {
      if (principal.kind !== 'user') throw new KeywardError('people_only');
    } else if (!(route.personal && principal.kind === 'user') && !holdsScope(principal, access))
      throw lacksScope(principal, access);
  }

  /** Checks and counts without an `await` in between, so that concurrent requests cannot exceed the limit. */
  #takeSlot(principal: Principal, request: FastifyRequest, { raw }: FastifyReply): void {
    const overload = this.#parts.overload;
    const account = accountOf(principal);
    const customer = customerOf(principal);
    if (
      overload.isFullFor(account) ||
      (customer !== null && overload.isFullFor(customer, SHARE_OF_CUSTOMER))
    )
      throw overload.refusal(TOO_MANY_OF_ACCOUNT);
    // Streams have their own limits.
    if (request.routeOptions.config.route?.stream || raw.closed) return;
    for (const holder of customer === null ? [account] : [account, customer]) {
      overload.hold(holder);
      onResponseEnd(raw, () => overload.release(holder));
    }
  }

  /** Management requests have one rate-limit window per access key, person or portal session. */
  async #meter(principal: Principal, reply: FastifyReply): Promise<void> {
    if (principal.kind === 'operator') return;
    const own = principal.kind === 'access-key' ? (principal as CachedAccessKey) : null;
    const { managementLimit } = this.#parts;
    const limit = principal.kind === 'portal' ? PORTAL_LIMIT : (own?.rateLimit ?? managementLimit);
    const ttlMs = own?.rateLimit ? own.rateLimitTtlMs : MANAGEMENT_WINDOW_MS;
    const now = this.#parts.clock();
    const taken = await this.#parts.counters.take(principal.id, limit, ttlMs, now);
    const headers = rateLimitHeaders(limit, taken, now);
    for (let i = 0; i < headers.length; i += 2) reply.header(headers[i]!, headers[i + 1]!);
    if (!taken.allowed) throw new KeywardError('management_rate_limited');
  }
}

/**
 * An error about the gateway's own access key. Some gateways forward every 401 and 403 to their user, who
 * would take it for an error about their own key. Such a gateway requests a 503 with `x-keyward-own-errors`.
 */
const isGatewayMistake = (
  error: unknown,
  { routeOptions }: FastifyRequest,
): error is KeywardError =>
  routeOptions.config.route?.credentialHeader !== undefined &&
  error instanceof KeywardError &&
  [401, 403].includes(error.status);
