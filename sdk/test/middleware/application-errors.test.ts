import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ValidatedKey } from '../../src/generated/api-types.ts';
import type { KeyValidator } from '../../src/middleware/guard.ts';
import { refused, type Validation } from '../../src/validation/outcome.ts';
import { whileListening } from './listening.ts';
import { PROTECTED_SERVERS, type ProtectOptions } from './protected-servers.ts';

/** Mistakes of the application, and its own timeouts, must not end its process. */

const unhandled: unknown[] = [];
const remember = (error: unknown) => unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', remember).on('uncaughtException', remember);
});
afterEach(() => {
  process.off('unhandledRejection', remember).off('uncaughtException', remember);
});

/** Rejections are reported after the microtasks. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const rateLimit = {
  limit: 5,
  remaining: 4,
  consumed: 1,
  reset: 2_000_000_000,
  retryAfterSeconds: 9,
};
const accepted: Validation = {
  valid: true,
  allowed: true,
  record: { name: 'Ada' } as ValidatedKey,
  rateLimit,
};

const validators: [string, KeyValidator][] = [
  ['at once', { validate: () => refused('key_not_found', null) }],
  ['later', { validate: async () => refused('key_not_found', null) }],
];

const badResponses: [string, ReturnType<NonNullable<ProtectOptions['response']>>][] = [
  ['an invalid header', { headers: { 'x-hint': 'a\nb' } }],
  ['an invalid status', { status: 99 }],
  ['a body that is not JSON', { body: { amount: 1n } }],
];

describe.each(PROTECTED_SERVERS)('%s', (name, start) => {
  describe.each(validators)('with a decision %s', (_when, validator) => {
    it.each(badResponses)('handles a `response` with %s', async (_what, bad) => {
      await whileListening(await start(validator, { response: () => bad }), async (get) => {
        const failed = await get({ 'x-api-key': 'some-key' });
        // Fastify keeps a valid status.
        expect(failed.status).toBe(name === 'fastify' && !('status' in bad!) ? 401 : 500);
        await nextTurn();
        expect(unhandled).toEqual([]);
      });
    });
  });
});

/** Hono passes only an `Error` to its error handling, and anything else to its server. */
const withAnyError = PROTECTED_SERVERS.filter(([name]) => name !== 'hono');

describe.each(withAnyError)('%s', (_name, start) => {
  it.each([undefined, null, 'route', 0])(
    'does not admit a request if a function in the options throws %j',
    async (thrown) => {
      const ways: ProtectOptions[] = [
        {
          permissions: () => {
            throw thrown;
          },
        },
        { permissions: () => Promise.reject(thrown) },
      ];
      for (const options of ways)
        await whileListening(await start({ validate: () => accepted }, options), async (get) => {
          expect((await get({ 'x-api-key': 'some-key' })).status).toBe(500);
        });
    },
  );
});

describe.each(PROTECTED_SERVERS)('%s', (_name, start) => {
  it('handles a failure of two functions in the options', async () => {
    const options: ProtectOptions = {
      permissions: () => Promise.reject(new Error('no permissions')),
      cost: () => {
        throw new Error('no cost');
      },
    };
    await whileListening(await start({ validate: () => accepted }, options), async (get) => {
      expect((await get({ 'x-api-key': 'some-key' })).status).toBe(500);
      await nextTurn();
      expect(unhandled).toEqual([]);
    });
  });
});

/**
 * Without Hono and Next.js, where a handler returns its response, so that the application cannot send one
 * before.
 */
const withResponseObject = PROTECTED_SERVERS.filter(([name]) => name !== 'hono' && name !== 'next');

describe.each(withResponseObject)('%s, after a timeout of the application', (_name, start) => {
  it.each<[string, Validation]>([
    ['refused', refused('rate_limited', rateLimit)],
    ['valid', accepted],
  ])('sends nothing about a %s key', async (_what, validation) => {
    const decision = Promise.withResolvers<Validation>();
    let sendTimeout = () => {};
    const server = await start({
      validate() {
        sendTimeout();
        return decision.promise;
      },
    });
    server.prependListener('request', (_request, response: ServerResponse) => {
      sendTimeout = () => response.writeHead(504).end();
    });
    await whileListening(server, async (get) => {
      expect((await get({ 'x-api-key': 'some-key' })).status).toBe(504);
      decision.resolve(validation);
      await nextTurn();
      await nextTurn();
      expect(unhandled).toEqual([]);
    });
  });
});
