import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { ERRORS } from '../../src/kernel/errors.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import type { TestClient } from '../harness/test-client.ts';

let test: TestApp;
let anyone: TestClient;
beforeAll(async () => {
  test = await startTestApp();
  anyone = test.client.as(null);
});
afterAll(() => test.close());

describe('without a credential', () => {
  it('/openapi.json is the committed description', async () => {
    const { status, body } = await anyone.get('/openapi.json');
    expect(status).toBe(200);
    const committed = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
    expect(body).toEqual(JSON.parse(committed));
    expect(body).toMatchObject({
      openapi: '3.1.0',
      info: { version: '0.3.4', 'x-keyward-version': expect.stringMatching(/^\d+\.\d+\.\d+/) },
    });
  });

  it('the routes of theauthapi have its tag, and every response has a schema', async () => {
    const { body } = await anyone.get('/openapi.json');
    const interfaceRoutes = [
      ['/api-keys', 'post'],
      ['/api-keys/{key}', 'patch'],
      ['/api-keys/auth/{key}', 'post'],
      ['/api-keys/{key}/reactivate', 'patch'],
      ['/projects/{id}', 'patch'],
      ['/projects/{id}', 'delete'],
      ['/invitations/{id}', 'get'],
      ['/accounts/{id}', 'get'],
    ] as const;
    for (const [path, method] of interfaceRoutes)
      expect(body.paths[path][method].tags).toContain('auth_api_v1');
    // JSON everywhere, except for the one stream of events and the one redirect.
    for (const methods of Object.values<object>(body.paths))
      for (const operation of Object.values(methods))
        for (const [status, response] of Object.entries<{ $ref?: string; content: object }>(
          operation.responses,
        )) {
          if (status === '302') continue;
          const name = response.$ref?.split('/').at(-1);
          const { content } = name ? body.components.responses[name] : response;
          expect(content['application/json'] ?? content['text/event-stream']).toHaveProperty(
            'schema',
          );
        }
  });

  it('the schema of errors has every field of a refused validation', async () => {
    const { schemas } = (await anyone.get('/openapi.json')).body.components;
    const limits = [{ name: 'day', rateLimit: 1, rateLimitTtl: 86_400 }];
    const refusals = [
      [{ permissions: ['a.read'] }, { permissions: 'b.read' }, 'missing'],
      [{ limits }, { cost: 2 }, 'rateLimits'],
      [{ credits: { remaining: 0 } }, {}, 'credits'],
    ] as const;
    for (const [fields, conditions, reason] of refusals) {
      const { body } = await test.client.post('/api-keys', { name: reason, ...fields });
      const refused = await test.client.post('/api-keys/auth', { key: body.key, ...conditions });
      expect(refused.body).toHaveProperty(reason);
      expect(Object.keys(schemas.Error.properties)).toEqual(
        expect.arrayContaining(Object.keys(refused.body)),
      );
    }
  });

  it('/docs/ARCHITECTURE links to the code of its version in the repository', async () => {
    const manifest = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    const { text } = await anyone.get('/docs/ARCHITECTURE');
    const links = new Set(text.match(/github\.com\/keyward\/keyward\/blob\/[^/]+/g));
    expect([...links]).toEqual([`github.com/keyward/keyward/blob/v${version}`]);
  });

  it('/docs/api/ and its files have a content security policy', async () => {
    const { status, text, headers } = await anyone.get('/docs/api/');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy');
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'"])
      expect(policy?.split('; ')).toContain(part);
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/);
    const files = [...text.matchAll(/(?:src|href)="(\/docs\/api\/[^"]+)"/g)].map(
      ([, file]) => file!,
    );
    expect(files).toContain('/docs/api/scalar.js');
    for (const file of files) {
      const answer = await anyone.get(file);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
    }
  });

  it.each([
    '/docs/none',
    '/docs/none.js',
    '/docs/api/introduction.ts',
    '/docs/..%2fopenapi.json',
    '/docs/.vitepress/config.mjs',
  ])('%s is not served', async (path) => {
    expect((await anyone.get(path)).status).toBe(404);
  });

  it.each([
    ['/docs', '/docs/'],
    ['/docs/errors', '/docs/errors/'],
    ['/docs/decisions', '/docs/decisions/'],
  ])('%s redirects to %s', async (path, target) => {
    const { status, headers } = await anyone.get(path);
    expect([status, headers.get('location')]).toEqual([302, target]);
  });

  it('pages of the documentation have no inline script, and their files are compressed and cached', async () => {
    for (const path of ['/docs/', '/docs/tutorial', '/docs/guides/portal', '/docs/decisions/']) {
      const { status, text, headers } = await anyone.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toContain("script-src 'self';");
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(text).not.toMatch(/\son[a-z]+=|<script(?![^>]*\ssrc=)/);
      const files = [...text.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)];
      expect(files.length).toBeGreaterThan(2);
      for (const [, file = ''] of files) {
        const answer = await anyone.get(file, { 'accept-encoding': 'gzip' });
        expect([file, answer.status]).toEqual([file, 200]);
        expect(answer.headers.get('cache-control')).toContain('immutable');
        if (/\.(?:js|css)$/.test(file) && answer.text.length > 1024)
          expect(answer.headers.get('content-encoding')).toBe('gzip');
      }
    }
  });

  it.each(['/docs/', '/docs/api/', '/dashboard/'])('%s names an icon that exists', async (path) => {
    const { text } = await anyone.get(path);
    const [, icon = ''] = /<link rel="icon"[^>]* href="([^"]+)"/.exec(text) ?? [];
    if (icon.startsWith('data:image/svg+xml')) return;
    const { status, headers } = await anyone.get(icon);
    expect([icon, status, headers.get('content-type')]).toEqual([icon, 200, 'image/svg+xml']);
  });

  it('the documentation shows the version and every command', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect((await anyone.get('/docs/')).text).toContain(version);
    const commands = (await anyone.get('/docs/reference/command-line')).text;
    for (const { words } of COMMANDS) expect(commands).toContain(`npx keyward ${words}`);
  });

  it('the script of /docs/api/ is sent compressed, and only once', async () => {
    const script = '/docs/api/scalar.js';
    const answers = [];
    for (const encoding of ['gzip, br', 'gzip', 'identity']) {
      const { headers, text } = await anyone.get(script, { 'accept-encoding': encoding });
      answers.push([headers.get('content-encoding'), text.length > 1_000_000]);
      const again = await anyone.get(script, {
        'accept-encoding': encoding,
        'if-none-match': headers.get('etag')!,
        // Without it, `fetch` would request a new copy.
        'cache-control': 'max-age=0',
      });
      expect([again.status, again.text.length]).toEqual([304, 0]);
    }
    expect(answers).toEqual([
      ['br', true],
      ['gzip', true],
      [null, true],
    ]);
  });

  it('every operation has one tag that the page shows, and every tag is described', async () => {
    const { body } = await anyone.get('/openapi.json');
    const groups: { tags: string[] }[] = body['x-tagGroups'];
    const shown = groups.flatMap(({ tags }) => tags);
    expect(new Set(shown).size).toBe(shown.length);
    for (const methods of Object.values<object>(body.paths))
      for (const { operationId, tags } of Object.values(methods))
        expect([operationId, tags.filter((tag: string) => shown.includes(tag)).length]).toEqual([
          operationId,
          1,
        ]);
    for (const tag of shown)
      expect(body.tags).toContainEqual({
        name: tag,
        'x-displayName': expect.any(String),
        description: expect.stringMatching(/\.$/),
      });
  });

  it('/docs/errors/ lists every code, and each has a page that can be read without scripts', async () => {
    const index = await anyone.get('/docs/errors/');
    expect(index.status).toBe(200);
    for (const code of Object.keys(ERRORS)) {
      expect(index.text).toContain(`href="/docs/errors/${code}">${code}</a>`);
      const { status, text } = await anyone.get(`/docs/errors/${code}`);
      expect(status).toBe(200);
      const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? [];
      expect(main).toContain(`>${code} <`);
      expect(main).toContain('>What to do <');
    }
    for (const path of ['/docs/errors/none', '/docs/errors/constructor', '/docs/errors/README'])
      expect((await anyone.get(path)).status).toBe(404);
  });

  it('/dashboard/ and every path below it return the page; files outside its folder are not served', async () => {
    for (const path of ['/dashboard/', '/dashboard/keys/somewhere']) {
      const { status, headers, text } = await anyone.get(path);
      expect(status).toBe(200);
      expect(text).toContain('<div id="root">');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    for (const path of [
      '/dashboard/..%2f..%2fpackage.json',
      '/dashboard/%2e%2e/%2e%2e/package.json',
      '/dashboard/assets/..%5c..%5c..%5cpackage.json',
    ])
      expect((await anyone.get(path)).text).not.toContain('"workspaces"');
  });

  it('a script that does not exist is a 404, and an encoded path leads to no other file', async () => {
    for (const folder of ['/dashboard', '/portal'])
      expect((await anyone.get(`${folder}/assets/none.js`)).status).toBe(404);
    const { text } = await anyone.get('/dashboard/assets/..%2ftheme.js');
    expect(text).toContain('<div id="root">');
    for (const file of ['theme.js', 'icon.svg', 'licenses.json'])
      expect((await anyone.get(`/dashboard/${file}`)).text).not.toContain('<div id="root">');
  });

  it('dashboard scripts are compressed if accepted, and cached forever', async () => {
    const { text } = await anyone.get('/dashboard/');
    const [, script] = /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(text)!;
    const answers = [];
    for (const encoding of ['gzip, br', 'gzip', 'identity']) {
      const answer = await anyone.get(script!, { 'accept-encoding': encoding });
      expect(answer.headers.get('content-type')).toMatch(/javascript/);
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(answer.headers.get('vary')).toContain('accept-encoding');
      answers.push([answer.headers.get('content-encoding'), answer.text.length > 100_000]);
    }
    expect(answers).toEqual([
      ['br', true],
      ['gzip', true],
      [null, true],
    ]);
  });

  it('/ returns name and version, and redirects a browser to the dashboard', async () => {
    expect((await anyone.get('/')).body).toEqual({
      name: 'Keyward',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    const browser = await anyone.get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/dashboard/']);
  });

  it('metrics are not on this port', async () => {
    const { status, body } = await anyone.get('/metrics');
    expect([status, body.code]).toEqual([404, 'route_not_found']);
  });
});
