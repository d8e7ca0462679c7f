import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount, operatorHeaders } from '../other-account.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('accounts, with an access key', () => {
  it('can be read and renamed; only the account of the access key is listed', async () => {
    await createOtherAccount(test);
    const { body } = await test.client.get(`/accounts/${test.accountId}`);
    expect(body).toEqual({
      id: test.accountId,
      name: 'Default account',
      isActive: true,
      createdBy: 'operator',
      createdByType: 'USER',
      createdIn: 'setup',
      lastChangedBy: 'operator',
      lastChangedByType: 'USER',
      createdAt: '2030-01-01T00:00:00.000Z',
      updatedAt: '2030-01-01T00:00:00.000Z',
    });
    expect((await test.client.get('/accounts')).body).toEqual([body]);
    test.clock.now += 1000;
    const same = await test.client.patch(`/accounts/${test.accountId}`, { name: body.name });
    expect(same.body).toEqual(body);
    const renamed = await test.client.patch(`/accounts/${test.accountId}`, { name: 'Ours' });
    expect(renamed.body).toMatchObject({
      name: 'Ours',
      createdByType: 'USER',
      lastChangedByType: 'ACCESS_KEY',
      updatedAt: '2030-01-01T00:00:01.000Z',
    });
  });

  it('cannot be created', async () => {
    const { status, body } = await test.client.post('/accounts', { name: 'Another' });
    expect([status, body.code]).toEqual([403, 'people_only']);
  });
});

describe('the operator', () => {
  it('creates accounts and sees all of them', async () => {
    const before = (await listed()).length;
    const other = await createOtherAccount(test);
    const after = await listed();
    expect(after).toHaveLength(before + 1);
    expect(after[0]).toBe(other.accountId);
  });

  async function listed(): Promise<string[]> {
    const headers = operatorHeaders(test, 'GET', '/accounts');
    const { body } = await test.client.as(null).get('/accounts', headers);
    return body.map(({ id }: { id: string }) => id);
  }

  it('has no scope for keys', async () => {
    const { status, body } = await test.client
      .as(null)
      .get('/api-keys', operatorHeaders(test, 'GET', '/api-keys'));
    expect([status, body.code]).toEqual([403, 'scope_missing']);
  });

  it.each([
    ['for another path', () => operatorHeaders(test, 'GET', '/projects')],
    ['for another method', () => operatorHeaders(test, 'POST', '/accounts')],
    ['that is malformed', () => ({ 'x-keyward-operator': `${test.clock.now}.nothing` })],
    ['without a time', () => ({ 'x-keyward-operator': '.' })],
    ['that is empty', () => ({ 'x-keyward-operator': '' })],
  ])('is rejected with a signature %s, even with a valid access key: 401', async (_, headers) => {
    for (const client of [test.client, test.client.as(null)]) {
      const response = await client.get('/accounts', headers());
      expect([response.status, response.body.code]).toEqual([401, 'credential_invalid']);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('can use a signature for one request, with the signed body', async () => {
    const anyone = test.client.as(null);
    const body = { name: 'Signed' };
    const headersFor = () => operatorHeaders(test, 'POST', '/accounts', body);
    const headers = headersFor();
    const other = await anyone.post('/accounts', { name: 'Other' }, headersFor());
    expect([other.status, other.body.code]).toEqual([401, 'credential_invalid']);
    const none = await anyone.post('/accounts', undefined, headersFor());
    expect([none.status, none.body.code]).toEqual([401, 'credential_invalid']);
    expect((await anyone.post('/accounts', body, headers)).status).toBe(201);
    expect((await anyone.post('/accounts', body, headers)).status).toBe(401);
  });

  it('can use a signature up to a minute after its time, or before it', async () => {
    const statusAfter = async (ms: number) => {
      const headers = operatorHeaders(test, 'GET', '/accounts');
      test.clock.now += ms;
      const { status } = await test.client.as(null).get('/accounts', headers);
      test.clock.now -= ms;
      return status;
    };
    expect(await statusAfter(60_000)).toBe(200);
    expect(await statusAfter(60_001)).toBe(401);
    expect(await statusAfter(-60_000)).toBe(200);
    expect(await statusAfter(-60_001)).toBe(401);
  });
});
