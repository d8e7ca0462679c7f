import type { PermissionsInput } from '@keyward/rules/permissions.ts';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Admitted,
  createGuard,
  type Decision,
  type GuardOptions,
  type KeyValidator,
  whenDecided,
} from './guard.ts';
import { fastifyReader } from './request-readers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `protect`. */
    keyward: Admitted;
  }
  interface FastifyContextConfig {
    /** The permissions that a key needs for the route, if the `permissions` of `protect` read them from here. */
    permissions?: PermissionsInput;
  }
}

export type ProtectOptions = GuardOptions<FastifyRequest>;

/**
 * A plugin that admits only requests with a valid key to the scope in which it is registered.
 *
 * ```ts
 * await app.register(protect(keyward));
 * app.get('/me', (request) => ({ name: request.keyward.record?.name }));
 * ```
 */
export function protect(keyward: KeyValidator, options?: ProtectOptions): FastifyPluginAsync {
  const guard = createGuard(keyward, fastifyReader, options);
  const plugin: FastifyPluginAsync = async (app) => {
    if (!app.hasRequestDecorator('keyward')) app.decorateRequest('keyward');
    app.addHook('onRequest', (request, reply, done) => {
      void whenDecided(guard, request, (decision) => apply(decision, request, reply), done);
    });
  };
  // Makes the hook apply to the scope that called `register` instead of a new child scope.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

function apply(decision: Decision, request: FastifyRequest, reply: FastifyReply): boolean {
  // The application has responded meanwhile, for example because of a timeout of its own.
  if (reply.sent) return false;
  if (!decision.passed) {
    const { status, headers, body } = decision.response;
    reply.code(status).headers(headers).send(body);
    return false;
  }
  request.keyward = decision.keyward;
  reply.headers(decision.headers);
  return true;
}

export type { Admitted } from './guard.ts';
