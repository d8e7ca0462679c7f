import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const ROOT = new URL('../../../', import.meta.url);
const GUIDES = readdirSync(new URL('docs/guides/', ROOT)).map((name) => `docs/guides/${name}`);

const CURL = /curl -s "http:\/\/127\.0\.0\.1:8080(\/[^"]+)"/g;

/** Every path that a guide requests with curl, with `date` commands replaced by their output. */
const examples = ['README.md', ...GUIDES].flatMap((file) =>
  [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(CURL)].map(([, path]) => ({
    file,
    path: path!.replaceAll('$(date -u +%Y-%m-01)', `${new Date().toISOString().slice(0, 7)}-01`),
  })),
);

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  const { body } = await test.client.post('/api-keys', { name: 'First' });
  expect((await test.client.post(`/api-keys/auth/${body.key}`)).status).toBe(200);
  await test.app.tally.flush();
});
afterAll(() => test.close());

it('finds the examples', () => expect(examples.length).toBeGreaterThan(3));

it.each(examples)('$path of $file returns rows once a key was used', async ({ path }) => {
  const { status, text } = await test.client.get(path);
  expect(status, text).toBe(200);
  expect(JSON.parse(text).length).toBeGreaterThan(0);
});
