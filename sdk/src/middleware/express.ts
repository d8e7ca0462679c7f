import type { Request, RequestHandler } from 'express';
import {
  type Admitted,
  createGuard,
  type Decision,
  type GuardOptions,
  type KeyValidator,
  whenDecided,
} from './guard.ts';
import { mountedReader } from './request-readers.ts';

declare global {
  namespace Express {
    interface Request {
      /** Set by `protect`. */
      keyward?: Admitted;
    }
  }
}

export type ProtectOptions = GuardOptions<Request>;

/**
 * Admits only requests with a valid key.
 *
 * ```ts
 * app.use('/v1', protect(keyward));
 * app.get('/v1/me', (req, res) => res.json({ name: req.keyward?.record?.name }));
 * app.get('/documents', protect(keyward, { permissions: 'documents.read' }), listDocuments);
 * ```
 */
export function protect(keyward: KeyValidator, options?: ProtectOptions): RequestHandler {
  const guard = createGuard(keyward, mountedReader, options);
  return (request, response, next) => {
    const apply = (decision: Decision): boolean => {
      // The application has responded meanwhile, for example because of a timeout of its own.
      if (response.writableEnded) return false;
      if (!decision.passed) {
        const { status, headers, body } = decision.response;
        response.status(status).set(headers).json(body);
        return false;
      }
      request.keyward = decision.keyward;
      response.set(decision.headers);
      return true;
    };
    void whenDecided(guard, request, apply, next);
  };
}

export type { Admitted } from './guard.ts';
