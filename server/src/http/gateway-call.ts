import type { IncomingMessage } from 'node:http';

const PATH = '/gateway/verify';

/**
 * Gateways ask in the form of the request they ask about: Envoy puts its path below ours and keeps
 * its method, others send its body's length. All of these mean the one call, which is a GET; a body
 * is never looked at, and the path of somebody else's request has no place in our log.
 */
export function readAsGatewayCall(request: IncomingMessage): void {
  const url = request.url!;
  if (!url.startsWith(PATH)) return;
  const next = url[PATH.length];
  if (next !== undefined && next !== '/' && next !== '?') return;
  request.method = 'GET';
  if (next === '/') request.url = PATH;
}
