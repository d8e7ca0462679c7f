import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const MERGE = { 'content-type': 'application/merge-patch+json; charset=utf-8' };
const EXPIRY = '2031-02-03T00:00:00.000Z';

const create = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', ...body })).body;

describe('a merge patch of a key', () => {
  it('may contain any field alone', async () => {
    const key = await create({ tags: ['old'], customUserId: 'u' });
    const patch = (body: object) => test.client.patch(`/api-keys/${key.id}`, body, MERGE);
    expect((await patch({ tags: ['new'] })).body).toMatchObject({
      name: 'Key',
      tags: ['new'],
      customUserId: 'u',
    });
    expect((await patch({ customUserId: null })).body).toMatchObject({ customUserId: null });
    expect((await patch({ name: 'Other' })).body).toMatchObject({ name: 'Other', tags: ['new'] });
  });

  it('must change something, and cannot remove the name', async () => {
    const { id } = await create();
    const patch = async (body: object) =>
      (await test.client.patch(`/api-keys/${id}`, body, MERGE)).body.message;
    expect(await patch({})).toBe('The body must contain at least one field to change.');
    expect(await patch({ name: null })).toBe('name must be a string.');
  });

  it('needs the name with another content type', async () => {
    const { id } = await create();
    const { status, body } = await test.client.patch(`/api-keys/${id}`, { tags: ['new'] });
    expect({ status, ...body }).toMatchObject({
      status: 400,
      code: 'invalid_body',
      message:
        'name is missing. Send it, or send the changes alone as content-type application/merge-patch+json.',
    });
  });
});

describe('an expiry', () => {
  it('may be named as in records', async () => {
    const key = await create({ expiresAt: EXPIRY });
    expect(key.expiresAt).toBe(EXPIRY);
    const path = `/api-keys/${key.id}`;
    const cleared = await test.client.patch(path, { name: 'Key', expiresAt: null });
    expect(cleared.body.expiresAt).toBeNull();
    const both = { name: 'Key', expiry: EXPIRY, expiresAt: EXPIRY };
    expect((await test.client.patch(path, both)).body.expiresAt).toBe(EXPIRY);
  });

  it('must not have two values', async () => {
    const wrong = { name: 'Key', expiry: EXPIRY, expiresAt: null };
    const { status, body } = await test.client.post('/api-keys', wrong);
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'expiry and expiresAt differ. Send one of them.',
    });
  });

  it('that revives an access key needs the rights of the access key, under both names', async () => {
    const { body: owner } = await test.client.post('/access-keys', {
      name: 'All',
      scopes: ['*'],
    });
    const { body: weak } = await test.client.post('/access-keys', {
      name: 'Weak',
      scopes: ['access-keys:write', 'access-keys:read'],
    });
    for (const name of ['expiry', 'expiresAt']) {
      const { status, body } = await test.client
        .as(weak.key)
        .patch(`/access-keys/${owner.id}`, { [name]: EXPIRY });
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'grant_exceeds_own' });
    }
  });
});
