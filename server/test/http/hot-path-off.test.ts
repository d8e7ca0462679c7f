import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ hotPath: false });
});
afterAll(() => test.close());

it('without the hot path, the router answers validations', async () => {
  test.app.validations.handle = () => {
    throw new Error('The hot path is off.');
  };
  const { key } = (await test.client.post('/api-keys', { name: 'Key' })).body;
  const inPath = await test.client.post(`/api-keys/auth/${key}`);
  const inBody = await test.client.post('/api-keys/auth', { key });
  const batch = await test.client.post('/api-keys/auth', { keys: [key, 'unknown'] });
  expect([inPath.status, inBody.status, batch.status]).toEqual([200, 200, 200]);
  expect(batch.body.map(({ valid }: { valid: boolean }) => valid)).toEqual([true, false]);
  expect((await test.client.post('/api-keys/auth/unknown')).status).toBe(404);
});
