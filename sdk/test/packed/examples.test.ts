import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../server/test/harness/test-app.ts';
import { Keyward } from '../../src/index.ts';
import { type RunningServer, runToEnd, startServer } from './child.ts';
import { addExamples, createPackedProject, type PackedProject, TSC } from './packed-project.ts';

interface Example {
  readonly name: string;
  /** What comes before the start, and the start itself: arguments of Node. */
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
  keyward = new Keyward({ url: app.url, accessKey: app.accessKey });
  project = await createPackedProject();
  await addExamples(project);
});
afterAll(async () => {
  await app.close();
  await project?.remove();
});

describe.each(EXAMPLES)('examples/$name', ({ name, build, start, port }) => {
  let server: RunningServer;

  beforeAll(async () => {
    const folder = join(project.folder, 'examples', name);
    if (build) await runToEnd(process.execPath, build, folder);
    const env = {
      KEYWARD_URL: app.url,
      KEYWARD_ACCESS_KEY: app.accessKey,
      PORT: '0',
      NEXT_TELEMETRY_DISABLED: '1',
      NODE_ENV: undefined,
    };
    server = await startServer(process.execPath, start, folder, env, port);
    // The first request to Next.js waits for it to be compiled.
    await ask();
  });
  afterAll(() => server?.stop());

  const ask = (key?: string) =>
    fetch(`${server.url}/hello`, { headers: key === undefined ? {} : { 'x-api-key': key } });

  it('greets a valid key, and turns away the others', async () => {
    const { key, id } = await keyward.apiKeys.create({ name: 'Ada' });
    const greeted = await ask(key);
    expect(greeted.status).toBe(200);
    expect(await greeted.json()).toEqual({ hello: 'Ada' });
    expect((await ask()).status).toBe(401);
    expect((await ask('nobodys-key')).status).toBe(401);
    await keyward.apiKeys.revoke(id);
    const revoked = await ask(key);
    expect(revoked.status).toBe(401);
    expect(await revoked.text()).not.toContain(key);
  });

  it('limits a key that has a limit, and tells of it', async () => {
    const rateLimitConfigs = { rateLimit: 1, rateLimitTtl: 60 };
    const { key } = await keyward.apiKeys.create({ name: 'Bob', rateLimitConfigs });
    const first = await ask(key);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-limit')).toBe('1');
    expect(first.headers.get('ratelimit-remaining')).toBe('0');
    const second = await ask(key);
    expect(second.status).toBe(429);
    expect(second.headers.get('ratelimit-consumed')).toBe('1');
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});
