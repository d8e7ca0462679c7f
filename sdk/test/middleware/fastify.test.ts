import { type FastifyInstance, fastify } from 'fastify';
import { expect, it } from 'vitest';
import type { ValidatedKey } from '../../src/generated/api-types.ts';
import { type Admitted, protect } from '../../src/middleware/fastify.ts';
import type { KeyValidator } from '../../src/middleware/guard.ts';

/** Accepts every key, with `name` in the record. */
const acceptedBy = (name: string): KeyValidator => ({
  validate: () => {
    const record = { name } as ValidatedKey;
    return { valid: true, allowed: true, record, rateLimit: null };
  },
});

async function namesAt(app: FastifyInstance, ...urls: string[]): Promise<unknown[]> {
  const headers = { 'x-api-key': 'a key' };
  const responses = await Promise.all(urls.map((url) => app.inject({ url, headers })));
  await app.close();
  return responses.map((response) => response.json());
}

it('sets the result of the innermost guard', async () => {
  const app = fastify();
  await app.register(protect(acceptedBy('outer')));
  app.get('/outer', (request) => [request.keyward.record?.name]);
  await app.register(async (scope) => {
    await scope.register(protect(acceptedBy('inner')));
    scope.get('/inner', (request) => [request.keyward.record?.name]);
  });
  expect(await namesAt(app, '/outer', '/inner', '/outer')).toEqual([
    ['outer'],
    ['inner'],
    ['outer'],
  ]);
});

it('fills an existing `keyward` decorator of the application', async () => {
  const app = fastify();
  app.decorateRequest('keyward');
  await app.register(protect(acceptedBy('ours')));
  app.get('/', (request) => [request.keyward.record?.name]);
  expect(await namesAt(app, '/')).toEqual([['ours']]);
});

it('lets the application replace the value for one request', async () => {
  const app = fastify();
  await app.register(protect(acceptedBy('ours')));
  app.get('/kept', (request) => [request.keyward.record?.name]);
  app.get('/replaced', (request) => {
    request.keyward = { ...request.keyward, record: { name: 'theirs' } } as Admitted;
    return [request.keyward.record?.name];
  });
  expect(await namesAt(app, '/replaced', '/kept')).toEqual([['theirs'], ['ours']]);
});
