import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Admitted,
  createGuard,
  type Decision,
  type KeyValidator,
  type ProtectOptions,
} from './guard.ts';
import { nodeReader } from './request-readers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set behind `protect`. */
    keyward: Admitted;
  }
}

const ADMITTED = Symbol.for('keyward.admitted');

type Holder = FastifyRequest & { [ADMITTED]?: Admitted };

/**
 * A plugin: in the scope that it is registered in, only requests with a valid key pass.
 *
 * ```ts
 * await app.register(protect(keyward));
 * app.get('/me', (request) => ({ name: request.keyward.record?.name }));
 * ```
 */
export function protect(keyward: KeyValidator, options?: ProtectOptions): FastifyPluginAsync {
  const guard = createGuard(keyward, nodeReader, options);
  const plugin: FastifyPluginAsync = async (app) => {
    // Not as a field: that would be set twice for each request, and first by its name.
    if (!app.hasRequestDecorator('keyward'))
      app.decorateRequest('keyward', {
        getter(this: Holder) {
          return this[ADMITTED] as Admitted;
        },
        setter(this: Holder, admitted: Admitted) {
          this[ADMITTED] = admitted;
        },
      });
    app.addHook('onRequest', (request, reply, done) => {
      // What it throws, Fastify catches: nothing is made for a request whose key is known.
      const decision = guard(request);
      if (!(decision instanceof Promise)) act(decision, request, reply, done);
      else decision.then((late) => act(late, request, reply, done), done);
    });
  };
  // So that the hook acts where `register` was called, and not in a scope of its own.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

function act(
  decision: Decision,
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  if (!decision.passed) {
    const { status, headers, body } = decision.answer;
    reply.code(status).headers(headers).send(body);
    return;
  }
  request.keyward = decision.keyward;
  if (decision.keyward.rateLimit !== null) reply.headers(decision.headers);
  done();
}

export type { Admitted, ProtectOptions } from './guard.ts';
