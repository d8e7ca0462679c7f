import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PortalPrincipal } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { isOwnOrigin } from './origin-check.ts';

/** Requests per minute and session. The page sends four when it is opened. */
export const PORTAL_LIMIT = 300;

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, if-match',
  'access-control-max-age': '600',
};

const EXPOSED_HEADERS =
  'idempotent-replayed, link, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id';

/**
 * Lets pages of other sites read the responses of the portal, errors included: a request carries a token
 * and no cookie, and `requirePortalAccess` decides which sites may use the token. Returns true if the
 * request was a preflight, which carries no token and is always accepted.
 */
export function handlePortalCors(request: FastifyRequest, reply: FastifyReply): boolean {
  const isPreflight = request.method === 'OPTIONS' && request.url.startsWith('/portal/');
  if (!isPreflight && request.routeOptions.config.route?.access !== 'portal') return false;
  const { origin } = request.headers;
  if (origin !== undefined) reply.header('access-control-allow-origin', origin);
  reply.header('vary', 'origin').header('access-control-expose-headers', EXPOSED_HEADERS);
  if (isPreflight) reply.headers(PREFLIGHT_HEADERS).status(204).send();
  return isPreflight;
}

/** Throws unless the session may be used from this site, for this route. */
export function requirePortalAccess(
  { headers, routeOptions }: FastifyRequest,
  { origins, actions }: PortalPrincipal,
  publicUrl: string,
): void {
  const { origin } = headers;
  if (origin !== undefined && !origins.includes(origin) && !isOwnOrigin(headers, publicUrl))
    throw new KeywardError(
      'origin_denied',
      'This site may not use the portal. Add its origin to portalOrigins of the project.',
    );
  const action = routeOptions.config.route?.portalAction;
  if (action !== undefined && !actions.has(action))
    throw new KeywardError('scope_missing', `This portal session does not allow ${action}.`);
}
