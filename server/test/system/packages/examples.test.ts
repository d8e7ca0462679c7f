import { join } from 'node:path';
import { Keyward } from 'keyward';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, runToEnd, startServer } from '../../harness/child.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import {
  addExamples,
  createPackedProject,
  exampleEnv,
  type PackedProject,
  TSC,
} from './packed-project.ts';

interface Example {
  readonly name: string;
  /** Arguments of Node for the build and for the start. */
  readonly build?: readonly string[];
  readonly start: readonly string[];
  readonly port: RegExp;
}

const LISTENING = /listening.*port: (\d+)/s;
const EXAMPLES: Example[] = [
  ...['express', 'fastify', 'hono', 'node'].map((name) => ({
    name,
    start: ['server.ts'],
    port: LISTENING,
  })),
  { name: 'nest', build: [TSC, '-p', '.'], start: ['dist/server.js'], port: LISTENING },
  {
    name: 'next',
    start: ['../../node_modules/next/dist/bin/next', 'dev', '-H', '127.0.0.1', '-p', '0'],
    port: /Local:\s+http:\/\/127\.0\.0\.1:(\d+).*Ready/s,
  },
];

let app: TestApp;
let keyward: Keyward;
let project: PackedProject;

beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  keyward = new Keyward(app.sdkOptions);
  project = await createPackedProject();
  await addExamples(project);
});
afterAll(async () => {
  await app.close();
  await project?.remove();
});

/** Not part of `npm test`, as those of the other examples are, because only this group installs Next.js. */
it.each(['next', 'portal-next'])('the types of examples/%s are right', async (name) => {
  const folder = join(project.folder, 'examples', name);
  await runToEnd(process.execPath, [TSC, '-p', '.'], folder);
});

describe.each(EXAMPLES)('examples/$name', ({ name, build, start, port }) => {
  let server: RunningServer;

  beforeAll(async () => {
    const folder = join(project.folder, 'examples', name);
    if (build) await runToEnd(process.execPath, build, folder);
    server = await startServer(process.execPath, start, folder, exampleEnv(app), port);
    // Next.js compiles the route on the first request.
    await get();
  });
  afterAll(() => server?.stop());

  const get = (key?: string, path = '/hello') =>
    fetch(server.url + path, { headers: key === undefined ? {} : { 'x-api-key': key } });

  it('admits a valid key, and refuses the others', async () => {
    const { key, id } = await keyward.apiKeys.create({ name: 'Ada' });
    const greeted = await get(key);
    expect(greeted.status).toBe(200);
    expect(await greeted.json()).toEqual({ hello: 'Ada' });
    expect((await get()).status).toBe(401);
    expect((await get('unknown-key')).status).toBe(401);
    await keyward.apiKeys.revoke(id);
    const revoked = await get(key);
    expect(revoked.status).toBe(401);
    expect(await revoked.text()).not.toContain(key);
  });

  it('requires a permission for /documents', async () => {
    const reader = await keyward.apiKeys.create({ name: 'Cy', permissions: ['documents.*'] });
    const other = await keyward.apiKeys.create({ name: 'Di', permissions: ['users.*'] });
    const documents = await get(reader.key, '/documents');
    expect(documents.status).toBe(200);
    expect(await documents.json()).toEqual({ documents: [] });
    const refused = await get(other.key, '/documents');
    expect(refused.status).toBe(403);
    expect(await refused.text()).not.toContain('documents.read');
    expect((await get(other.key)).status).toBe(200);
  });

  it('applies the limit of a key, and sends its headers', async () => {
    const rateLimitConfigs = { rateLimit: 1, rateLimitTtl: 60 };
    const { key } = await keyward.apiKeys.create({ name: 'Bob', rateLimitConfigs });
    const first = await get(key);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-limit')).toBe('1');
    expect(first.headers.get('ratelimit-remaining')).toBe('0');
    const second = await get(key);
    expect(second.status).toBe(429);
    expect(second.headers.get('ratelimit-consumed')).toBe('1');
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});
