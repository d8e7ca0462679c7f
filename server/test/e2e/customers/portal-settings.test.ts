import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { png } from '../../harness/png.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestClient, TestResponse } from '../../harness/test-client.ts';

const SITE = 'https://app.example.com';

let test: TestApp;
let anyone: TestClient;
beforeAll(async () => {
  test = await startTestApp();
  anyone = test.client.as(null);
  await update({ portalOrigins: [SITE, 'http://localhost:3000'] });
});
afterAll(() => test.close());

const update = (body: object) => test.client.patch(`/projects/${test.projectId}`, body);
const codeOf = ({ status, body }: TestResponse) => [status, body?.code];
const session = async (fields: object = {}) =>
  (
    await test.client.post('/portal-sessions', {
      ...{ customAccountId: 'acme', projectId: test.projectId },
      ...fields,
    })
  ).body;

describe('branding', () => {
  it('is set field by field, and shown to customers', async () => {
    const logo = png(16).toString('base64');
    const branding = { name: 'Acme', accentColor: '#0B6E4F', logo };
    const { status, body } = await update({ branding });
    expect([status, body.branding]).toEqual([
      200,
      {
        name: 'Acme',
        accentColor: '#0b6e4f',
        logo: expect.stringMatching(`^/portal/${test.projectId}/logo\\.png\\?v=[\\w-]{16}$`),
      },
    ]);
    const { token } = await session();
    const seen = await anyone.get('/portal/session', { authorization: `Bearer ${token}` });
    expect(seen.body.branding).toEqual(body.branding);
    const same = await update({ branding: body.branding });
    expect(same.body).toEqual(body);
    const renamed = await update({ branding: { name: 'Acme Inc.' } });
    expect(renamed.body.branding).toEqual({ ...body.branding, name: 'Acme Inc.' });
    const cleared = await update({ branding: { logo: null } });
    expect(cleared.body.branding.logo).toBeNull();
    expect((await anyone.get(body.branding.logo)).status).toBe(404);
    const none = { name: null, logo: null, accentColor: null };
    expect((await update({ branding: null })).body.branding).toEqual(none);
    const created = await test.client.post('/projects', { name: 'Branded', branding });
    expect(created.body.branding.logo).toContain(created.body.id);
  });

  it('has a logo that is served to anyone, as an image and nothing else', async () => {
    const image = png(16);
    const { body } = await update({
      branding: { logo: `data:image/png;base64,${image.toString('base64')}` },
    });
    const response = await fetch(test.url + body.branding.logo);
    expect(Buffer.from(await response.arrayBuffer()).equals(image)).toBe(true);
    const { headers } = response;
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('rejects a logo that is not a small PNG, and invalid colors', async () => {
    const base64 = (bytes: Buffer) => bytes.toString('base64');
    const wrong = [
      { logo: base64(Buffer.from('<svg onload="alert(1)"/>')) },
      { logo: base64(Buffer.concat([png(16), Buffer.from('<script>')])) },
      { logo: base64(png(16)).slice(0, -8) },
      { logo: `${base64(png(16))}<script>` },
      { logo: 'https://example.com/logo.png' },
      { logo: base64(png(1025)) },
      { logo: base64(png(16, 32 * 1024)) },
      { accentColor: 'red' },
      { accentColor: '#fff;background:url(//evil.example)' },
      { name: '' },
      { other: 1 },
    ];
    for (const branding of wrong)
      expect(codeOf(await update({ branding })), JSON.stringify(branding).slice(0, 60)).toEqual([
        400,
        'invalid_body',
      ]);
    const largest = png(16, 32 * 1024 - png(16).length - 12);
    expect(largest).toHaveLength(32 * 1024);
    expect((await update({ branding: { logo: base64(largest) } })).status).toBe(200);
  });
});

describe('portalOrigins', () => {
  it('are origins: https, or http on this machine', async () => {
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:3000'])
      expect((await update({ portalOrigins: [origin] })).body.portalOrigins).toEqual([origin]);
    const wrong = ['http://app.example.com', `${SITE}/`, `${SITE}/path`, '*', 'https://*', 'null'];
    const policy = [
      'https://a.example;script-src',
      "https://a.example; script-src 'unsafe-inline'",
    ];
    for (const origin of [...wrong, ...policy, 'https://*.example.com', 'data:,'])
      expect(codeOf(await update({ portalOrigins: [origin] })), origin).toEqual([
        400,
        'invalid_body',
      ]);
    expect((await update({ portalOrigins: null })).body.portalOrigins).toEqual([]);
    await update({ portalOrigins: [SITE] });
  });

  it('decide which sites the `returnUrl` of a session may be on', async () => {
    const made = await session({ returnUrl: `${SITE}/settings?tab=keys` });
    expect(made.returnUrl).toBe(`${SITE}/settings?tab=keys`);
    for (const returnUrl of [
      'https://app.example.com.evil.example/',
      'https://user@app.example.com/',
    ])
      expect((await session({ returnUrl })).code).toBe('invalid_body');
  });

  it('decide which sites may call the portal', async () => {
    const { token } = await session();
    const call = (origin?: string) =>
      anyone.get('/portal/session', {
        authorization: `Bearer ${token}`,
        ...(origin !== undefined && { origin }),
      });
    for (const origin of [undefined, SITE, 'https://keyward.example', test.url])
      expect((await call(origin)).status, origin).toBe(200);
    const refused = await call('https://other.example');
    expect(codeOf(refused)).toEqual([403, 'origin_denied']);
    await update({ portalOrigins: [] });
    expect(codeOf(await call(SITE))).toEqual([403, 'origin_denied']);
    await update({ portalOrigins: [SITE] });
    const allowed = await call(SITE);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(SITE);
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('do not affect preflights, which are always answered below /portal/, and only there', async () => {
    const preflight = (path: string) =>
      fetch(test.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://other.example',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
    for (const path of ['/portal/session', '/portal/api-keys/key_x', '/portal/none']) {
      const { status, headers } = await preflight(path);
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe('https://other.example');
      expect(headers.get('access-control-allow-methods')).toContain('PATCH');
      expect(headers.get('access-control-allow-headers')).toContain('authorization');
    }
    for (const path of ['/api-keys', '/portal-sessions']) {
      const { headers } = await preflight(path);
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    const outside = await test.client.get('/api-keys', { origin: SITE });
    expect(outside.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('let a listed site tell an ended session from a network error', async () => {
    const { token, id } = await session();
    await test.client.delete(`/portal-sessions/${id}`);
    const headers = { authorization: `Bearer ${token}`, origin: SITE };
    const response = await anyone.get('/portal/session', headers);
    expect(codeOf(response)).toEqual([401, 'session_invalid']);
    expect(response.headers.get('access-control-allow-origin')).toBe(SITE);
  });
});
