/// <reference path="./next-server.d.ts" />
import type { NextRequest } from 'next/server.js';
import { responseOf, withHeaders } from './fetch-response.ts';
import { type Admitted, createGuard, type GuardOptions, type KeyValidator } from './guard.ts';
import { fetchReader } from './request-readers.ts';

export type ProtectOptions = GuardOptions<NextRequest>;

/** The second argument that Next.js passes to a route handler. */
interface RouteContext {
  readonly params: Promise<unknown>;
}

type Handler<Req extends Request, Context> = (
  request: Req,
  context: Context & { readonly keyward: Admitted },
) => Response | Promise<Response>;

/**
 * Wraps route handlers so that only requests with a valid key reach them.
 *
 * ```ts
 * const withKey = protect(keyward);
 * export const GET = withKey((request, { keyward }) => Response.json({ name: keyward.record?.name }));
 * ```
 */
export function protect(keyward: KeyValidator, options?: ProtectOptions) {
  const guard = createGuard(keyward, fetchReader, options);
  return <Req extends Request = NextRequest, Context extends RouteContext = RouteContext>(
    handler: Handler<Req, Context>,
  ) =>
    async (request: Req, context: Context): Promise<Response> => {
      const decision = await guard(request as unknown as NextRequest);
      if (!decision.passed) return responseOf(decision.response);
      const response = await handler(request, { ...context, keyward: decision.keyward });
      return withHeaders(response, decision.headers);
    };
}

export type { Admitted } from './guard.ts';
