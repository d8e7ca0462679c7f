import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { HalfRequest } from '../../lifecycle/half-request.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Sends a POST without the last byte of its body, and waits until the server has authenticated it. */
async function postHalf(
  path: string,
  headers: Record<string, string>,
  body: object,
): Promise<HalfRequest> {
  const text = JSON.stringify(body);
  const { host } = new URL(test.url);
  const fields = Object.entries({
    host,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(text.length),
    ...headers,
  });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const request = `POST ${path} HTTP/1.1\r\n${head}\r\n${text}`;
  const half = await HalfRequest.begin(test.url, request, request.length - 1);
  // Any share is used up as soon as one request of the account is in progress.
  await expect.poll(() => test.app.overload.isFullFor(test.accountId, Number.MIN_VALUE)).toBe(true);
  return half;
}

const codeOf = async (half: HalfRequest): Promise<string> =>
  JSON.parse((await half.finish()).body).code;

describe('a request whose body is not complete when its credential is revoked', () => {
  it('creates nothing with an access key', async () => {
    const { client } = test;
    const { id, key } = (await client.post('/access-keys', { name: 'Leaked' })).body;
    const half = await postHalf('/access-keys', { 'x-api-key': key }, { name: 'Kept by a thief' });
    expect((await client.delete(`/access-keys/${id}`)).status).toBe(200);
    expect(await codeOf(half)).toBe('credential_revoked');
    const { body } = await client.get('/access-keys');
    expect(body.map(({ name }: { name: string }) => name)).not.toContain('Kept by a thief');
  });

  it('creates nothing in the portal', async () => {
    const { client, projectId } = test;
    const body = { projectId, customAccountId: 'acme' };
    const { id, token } = (await client.post('/portal-sessions', body)).body;
    const authorization = `Bearer ${token}`;
    const half = await postHalf('/portal/api-keys', { authorization }, { name: 'Late' });
    expect((await client.delete(`/portal-sessions/${id}`)).status).toBe(200);
    expect(await codeOf(half)).toBe('session_invalid');
  });

  it('creates nothing for a person who has lost the role', async () => {
    const { client, accountId } = test;
    const person = await createMember(test, [{ accountId, role: 'admin' }]);
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, origin: 'https://keyward.example' };
    const half = await postHalf('/projects', headers, { name: 'Late' });
    const changed = await client.patch(`/users/${person.id}/roles`, { role: 'viewer' });
    expect(changed.status, changed.text).toBe(200);
    expect(await codeOf(half)).toBe('scope_missing');
  });
});

it('a list that is being read ends when its credential is revoked', async () => {
  const { client } = test;
  // More than the buffers between server and client hold.
  const customMetaData = { text: 'x'.repeat(15_000) };
  for (let n = 0; n < 15; n++) {
    const keys = Array.from({ length: 60 }, (_, i) => ({
      name: 'Large',
      key: `large-key-${n}-${i}`,
      customMetaData,
    }));
    expect((await client.post('/api-keys/import', { keys })).status).toBe(200);
  }
  const { id, key } = (await client.post('/access-keys', { name: 'Reader' })).body;
  const read = async () => {
    const headers = { 'x-api-key': key };
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      get(`${test.url}/api-keys`, { headers, agent: false }, resolve).on('error', reject),
    );
    return { status: response.statusCode, rest: () => text(response) };
  };
  expect(JSON.parse(await (await read()).rest()).length).toBeGreaterThanOrEqual(900);
  const { status, rest } = await read();
  expect(status).toBe(200);
  expect((await client.delete(`/access-keys/${id}`)).status).toBe(200);
  await expect(rest()).rejects.toThrow();
  expect(test.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});
