import type { Context, MiddlewareHandler } from 'hono';
import { responseOf } from './fetch-response.ts';
import { type Admitted, createGuard, type GuardOptions, type KeyValidator } from './guard.ts';
import type { RequestReader } from './key-sources.ts';
import { fetchReader } from './request-readers.ts';
import { routeResource } from './route-resource.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by `protect`; undefined in a handler that it does not protect. */
    keyward: Admitted;
  }
}

export type ProtectOptions = GuardOptions<Context>;

const reader: RequestReader<Context> = {
  header: (c, name) => fetchReader.header(c.req.raw, name),
  query: (c, name) => fetchReader.query(c.req.raw, name),
  address: () => undefined,
  resource(c) {
    // Also has middlewares: those with `use` are for all methods, others usually for a pattern with `*`.
    const route = c.req.matchedRoutes?.find(
      ({ method, path }) => method !== 'ALL' && !path.endsWith('*'),
    );
    return routeResource(route?.method, route?.path);
  },
};

/**
 * Admits only requests with a valid key.
 *
 * ```ts
 * app.use('/v1/*', protect(keyward));
 * app.get('/v1/me', (c) => c.json({ name: c.get('keyward').record?.name }));
 * ```
 */
export function protect(keyward: KeyValidator, options?: ProtectOptions): MiddlewareHandler {
  const guard = createGuard(keyward, reader, options);
  return async (c, next) => {
    const decision = await guard(c);
    if (!decision.passed) return responseOf(decision.response);
    c.set('keyward', decision.keyward);
    await next();
    // Set afterwards: headers set before are lost if the handler returns a new Response.
    for (const [name, value] of Object.entries(decision.headers)) c.header(name, value);
  };
}

export type { Admitted } from './guard.ts';
