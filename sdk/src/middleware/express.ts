import type { RequestHandler } from 'express';
import { type Admitted, createGuard, type KeyValidator, type ProtectOptions } from './guard.ts';
import { nodeView } from './request-views.ts';

declare global {
  namespace Express {
    interface Request {
      /** Set behind `protect`. */
      keyward?: Admitted;
    }
  }
}

/**
 * Lets only requests with a valid key pass. What goes wrong goes to Express's error handling.
 *
 * ```ts
 * app.use('/v1', protect(keyward));
 * app.get('/v1/me', (req, res) => res.json({ name: req.keyward?.record?.name }));
 * ```
 */
export function protect(keyward: KeyValidator, options?: ProtectOptions): RequestHandler {
  const guard = createGuard(keyward, options);
  return (request, response, next) => {
    guard(nodeView({ headers: request.headers, url: request.originalUrl })).then((decision) => {
      if (!decision.passed) {
        const { status, headers, body } = decision.answer;
        response.status(status).set(headers).json(body);
        return;
      }
      request.keyward = decision.keyward;
      response.set(decision.headers);
      next();
    }, next);
  };
}

export type { Admitted, ProtectOptions } from './guard.ts';
