import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_COOKIE } from '../../../src/features/people/login/cookies.ts';
import { createMember, type TestMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createTestPerson, type TestPerson } from '../../harness/test-person.ts';

const LOGIN_FAILED = /^\/dashboard\/login\?error=/;

/** Claims that the issuer returns for every sign-in. */
let claims: Record<string, unknown> = {};
let issuer: string;
let test: TestApp;
let member: TestMember;

const provider: Server = createServer(async (request, response) => {
  const path = new URL(request.url!, issuer).pathname;
  const answer =
    path === '/.well-known/openid-configuration'
      ? {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          id_token_signing_alg_values_supported: ['RS256'],
        }
      : path === '/token'
        ? await exchangeCode(request)
        : {
            keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: '1' }],
          };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
});

async function exchangeCode(request: IncomingMessage): Promise<object> {
  const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
  if (body.get('code') !== 'the-code' || !body.get('code_verifier'))
    return { error: 'invalid_grant' };
  const token = { access_token: 'of-the-issuer', token_type: 'Bearer', expires_in: 60 };
  return { ...token, id_token: signed({ ...claims, nonce }) };
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
let nonce: string | null = null;

function signed(payload: object): string {
  const iat = Math.floor(Date.now() / 1000);
  const parts = [
    { alg: 'RS256', kid: '1' },
    { iss: issuer, aud: 'keyward', iat, exp: iat + 60, ...payload },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = sign('sha256', Buffer.from(parts.join('.')), privateKey);
  return [...parts, signature.toString('base64url')].join('.');
}

beforeAll(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const oidc = { issuer, clientId: 'keyward', clientSecret: 'hush', name: 'Corp' };
  test = await startTestApp({ realClock: true, loginProviders: { oidc } });
  member = await createViewer();
});
afterAll(async () => {
  await test.close();
  provider.close();
});

const createViewer = () =>
  createMember(test, [{ accountId: test.accountId, role: 'viewer' }], Date.now());

/**
 * Follows the redirects to the issuer and back, as a browser does: it sends no session cookie when another
 * site redirects here, because that cookie is SameSite=Strict.
 */
async function signInAtIssuer(person = createTestPerson(test.url), begin?: string) {
  const path = await startAtIssuer(person, begin);
  const cookie = [...person.cookies]
    .filter(([name]) => name !== SESSION_COOKIE)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  return { person, callback: await person.get(path, { cookie }), path };
}

/** Returns the path to which the issuer sends the browser back. */
async function startAtIssuer(person: TestPerson, begin = '/auth/sign-in/provider') {
  const started = await person.post(begin, { provider: 'oidc' });
  expect(started.status, started.text).toBe(200);
  const url = new URL(started.body.url);
  expect(url.origin).toBe(issuer);
  expect(url.searchParams.get('redirect_uri')).toBe('https://keyward.example/auth/callback/oidc');
  expect(url.searchParams.get('code_challenge_method')).toBe('S256');
  nonce = url.searchParams.get('nonce');
  expect(nonce).not.toBeNull();
  const state = url.searchParams.get('state')!;
  return `/auth/callback/oidc?code=the-code&state=${state}`;
}

async function linksRecorded({ id }: TestMember) {
  const { body } = await test.client.get(`/audit-logs?action=user.provider-linked&target=${id}`);
  return body;
}

describe('signing in by OpenID Connect', () => {
  it('is offered', async () => {
    const { body } = await createTestPerson(test.url).get('/auth/methods');
    expect(body.providers).toEqual([{ id: 'oidc', name: 'Corp' }]);
  });

  it('creates no user: an unknown user is rejected', async () => {
    claims = { sub: '1', email: 'stranger@example.com', email_verified: true, name: 'Stranger' };
    const { person, callback } = await signInAtIssuer();
    expect(callback.status).toBe(302);
    expect(callback.headers.get('location')).toBe('/dashboard/login?error=signup_disabled');
    expect((await person.get('/me')).status).toBe(401);
  });

  it('does not sign in by an email address that Keyward has not verified, whatever the issuer says', async () => {
    for (const email_verified of [false, true]) {
      claims = { sub: '2', email: member.email, email_verified, name: 'Claims' };
      const { person, callback } = await signInAtIssuer();
      expect(callback.headers.get('location')).toBe('/dashboard/login?error=account_not_linked');
      expect((await person.get('/me')).status).toBe(401);
    }
  });

  it('signs in a user who linked it before', async () => {
    claims = { sub: '3', email: member.email, email_verified: true, name: 'Member' };
    const linked = await signInAtIssuer(member, '/auth/providers');
    expect(linked.callback.headers.get('location'), linked.callback.text).toBe(
      '/dashboard/settings',
    );
    expect(await linksRecorded(member)).toMatchObject([
      {
        actorId: member.id,
        after: { provider: 'oidc' },
        clientAddress: '127.0.0.1',
        requestId: linked.callback.headers.get('x-request-id'),
      },
    ]);
    const { person, callback } = await signInAtIssuer();
    expect(callback.headers.get('location')).toBe('/dashboard/');
    expect((await person.get('/me')).body).toMatchObject({ id: member.id });
    const rows = await test.storage.read.selectFrom('credentials').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('of-the-issuer');
  });

  it('links it to a user with the same verified address, and records this', async () => {
    const invited = await createViewer();
    await test.storage.transaction((tx) =>
      tx.updateTable('users').set({ email_verified: 1 }).where('id', '=', invited.id).execute(),
    );
    claims = { sub: '4', email: invited.email, email_verified: true, name: 'Invited' };
    const { callback } = await signInAtIssuer();
    expect(callback.headers.get('location')).toBe('/dashboard/');
    expect(await linksRecorded(invited)).toMatchObject([
      { actorId: invited.id, after: { provider: 'oidc' } },
    ]);
    await signInAtIssuer();
    expect(await linksRecorded(invited)).toHaveLength(1);
  });

  it('lists what is linked, and never the password', async () => {
    const { body } = await member.get('/auth/providers');
    expect(body).toEqual([{ id: 'oidc', name: 'Corp', createdAt: expect.any(String) }]);
    const other = createTestPerson(test.url);
    const login = { name: 'Ada', email: 'ada@example.com', password: 'a long way from home' };
    const made = await other.post('/auth/setup', { token: test.setupToken, ...login });
    expect(made.status, made.text).toBe(200);
    expect((await other.get('/auth/providers')).body).toEqual([]);
    for (const id of ['oidc', 'credential'])
      expect((await other.delete(`/auth/providers/${id}`)).status).toBe(404);
  });

  it('returns to the settings if another user has linked it', async () => {
    const other = await createViewer();
    claims = { sub: '3', email: other.email, email_verified: true, name: 'Member' };
    const { callback } = await signInAtIssuer(other, '/auth/providers');
    const location = callback.headers.get('location');
    expect(location).toContain(
      '/dashboard/settings?error=account_already_linked_to_different_user',
    );
    expect((await other.get('/auth/providers')).body).toEqual([]);
  });

  it('rejects tokens for another client', async () => {
    for (const wrong of [{ aud: 'another-client' }, { iss: 'https://evil.example' }]) {
      claims = { sub: '3', email: member.email, email_verified: true, ...wrong };
      const { person } = await signInAtIssuer();
      expect((await person.get('/me')).status).toBe(401);
    }
  });

  it('can be completed only in the browser in which it began', async () => {
    claims = { sub: '3', email: member.email, email_verified: true, name: 'Member' };
    const path = await startAtIssuer(createTestPerson(test.url));
    const other = createTestPerson(test.url);
    expect((await other.get(path)).headers.get('location')).toMatch(LOGIN_FAILED);
    expect((await other.get('/me')).status).toBe(401);
  });

  it('can be completed only once', async () => {
    claims = { sub: '3', email: member.email, email_verified: true, name: 'Member' };
    const { person, callback, path } = await signInAtIssuer();
    expect(callback.headers.get('location')).toBe('/dashboard/');
    expect((await person.get(path)).headers.get('location')).toMatch(LOGIN_FAILED);
  });

  it('does not sign in a user who unlinked it', async () => {
    // Another address than the user's, because a verified address of theirs would link it again.
    claims = { sub: '3', email: 'elsewhere@example.com', email_verified: true, name: 'Member' };
    expect((await signInAtIssuer()).callback.headers.get('location')).toBe('/dashboard/');
    expect((await member.delete('/auth/providers/oidc')).body).toBe(true);
    expect((await member.get('/auth/providers')).body).toEqual([]);
    const { body: log } = await test.client.get('/audit-logs?action=user.provider-unlinked');
    expect(log).toMatchObject([{ targetId: member.id, after: { provider: 'oidc' } }]);
    const { person, callback } = await signInAtIssuer();
    expect(callback.headers.get('location')).toBe('/dashboard/login?error=signup_disabled');
    expect((await person.get('/me')).status).toBe(401);
    expect((await member.delete('/auth/providers/oidc')).status).toBe(404);
  });
});
