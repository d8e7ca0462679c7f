import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameworkIn } from '../../src/cli/commands/init/frameworks.ts';
import { runCli } from '../../src/cli/run.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ realClock: true });
});
afterAll(() => test.close());

/** Without `answers`, as without a terminal. */
async function init(argv: string[], answers?: string[], accessKey = test.accessKey) {
  const asked: string[] = [];
  let out = '';
  let err = '';
  const code = await runCli(['init', ...argv], {
    env: { KEYWARD_URL: test.url, KEYWARD_ACCESS_KEY: accessKey },
    columns: null,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    progress: () => {},
    style: (_, text) => text,
    readInput: async () => '',
    ...(answers && {
      ask: async (question: string) => {
        asked.push(question);
        return answers[asked.length - 1] ?? '';
      },
    }),
  });
  return { code, out, err, asked };
}

it('asks three questions, makes a key that works, and an access key that only validates', async () => {
  const { code, out, asked } = await init([], ['express', 'Ada', '5/60']);
  expect(code).toBe(0);
  expect(asked).toHaveLength(3);
  expect(out).toContain("import { protect } from 'keyward/express';");
  const [, accessKey = ''] = /KEYWARD_ACCESS_KEY=(\S+)/.exec(out)!;
  const [, key = ''] = /x-api-key: ([^']+)'/.exec(out)!;
  const call = (method: string, path: string, body?: object) =>
    fetch(test.url + path, {
      method,
      headers: { 'x-api-key': accessKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const validated = await call('POST', `/api-keys/auth/${key}`);
  expect(validated.status).toBe(200);
  expect(
    validated.headers.get('x-ratelimit-limit') ?? validated.headers.get('ratelimit-limit'),
  ).toBe('5');
  expect((await call('POST', '/api-keys', { name: 'no' })).status).toBe(403);
});

it('needs no terminal', async () => {
  const { code, out } = await init(['--framework', 'fastapi', '--name', 'Ada']);
  expect(code).toBe(0);
  expect(out).toContain('from fastapi import');
});

it('prints the key also if the access key cannot be made afterwards', async () => {
  const { body } = await test.client.post('/access-keys', {
    name: 'once',
    rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 600 },
  });
  const { code, out } = await init(['--framework', 'node'], undefined, body.key);
  expect(code).toBe(0);
  expect(out).toMatch(/none was created: .+/);
  const [, key = ''] = /x-api-key: ([^']+)'/.exec(out)!;
  expect((await test.client.post('/api-keys/auth', { key })).status).toBe(200);
});

it('the access key is for the project of --project alone', async () => {
  const { body: project } = await test.client.post('/projects', { name: 'Other' });
  const { out } = await init(['--framework', 'node', '--project', project.id, '--json']);
  const { body } = await test.client.get(`/access-keys/${JSON.parse(out).accessKey}`);
  expect(body).toMatchObject({ projectId: project.id, scopes: ['keys:validate'] });
  // Other tests use the only active project.
  await test.client.delete(`/projects/${project.id}`);
});

it('goes on if the access key may create keys only', async () => {
  const { body } = await test.client.post('/access-keys', { name: 'w', scopes: ['keys:write'] });
  const { code, out } = await init(['--framework', 'node'], undefined, body.key);
  expect(code).toBe(0);
  expect(out).toContain('yours may not create one');
});

it('names the frameworks it knows', async () => {
  const { code, err } = await init(['--framework', 'rails']);
  expect(code).toBe(2);
  expect(err).toContain('"rails" is not one of nest, next, fastify');
});

describe('the framework is found in', () => {
  it.each([
    ['{"dependencies":{"express":"^5"}}', 'express'],
    ['{"dependencies":{"@nestjs/core":"^12","express":"^5"}}', 'nest'],
    ['{"dependencies":{"next":"16"}}', 'next'],
    ['{"devDependencies":{"express-rate-limit":"1","nextra":"2"}}', null],
    ['fastapi[standard]>=0.115\nuvicorn', 'fastapi'],
    ['Flask==3.1', 'flask'],
    ['module example.com/api\n\ngo 1.22.0\n', 'go'],
    ['{"type":"module","scripts":{"go":"go 1"}}', null],
    ['', null],
  ])('%s', (manifest, name) => {
    expect(frameworkIn(manifest)).toBe(name);
  });
});
