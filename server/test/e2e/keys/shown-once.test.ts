import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestResponse } from '../../harness/test-client.ts';
import { rawDatabase } from '../raw-database.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Sends every request that can name a key, by its value and by its id. */
async function sendEveryRequest(value: string, id: string): Promise<TestResponse[]> {
  const { client } = test;
  const responses: TestResponse[] = [];
  for (const name of [value, id])
    responses.push(
      await client.get(`/api-keys/${name}`),
      await client.patch(`/api-keys/${name}`, { name: `Changed by ${name.slice(0, 3)}` }),
      await client.post(`/api-keys/auth/${name}`),
      await client.post(`/api-keys/auth/${name}?x=${name}`),
      await client.post('/api-keys/auth', { key: name }),
      await client.post('/api-keys/auth', { keys: [name, 'unknown-one'] }),
      await client.post('/auth/authenticate', { credentials: { api_key: name }, sentAt: 1 }),
      await client.delete(`/api-keys/${name}`),
      await client.post(`/api-keys/auth/${name}`),
      await client.patch(`/api-keys/${name}/reactivate`),
      await client.patch(`/api-keys/${name}/reactivate`, { not: 'taken' }),
      await client.get(`/nowhere/${name}?key=${name}`),
      await client.get(`/api-keys?name=${name}`),
      await client.get(`/api-keys?unknown=${name}`),
    );
  responses.push(await client.get('/api-keys'), await client.get('/api-keys?limit=1'));
  return responses;
}

async function expectNowhere(value: string, responses: readonly TestResponse[]): Promise<void> {
  for (const response of responses) {
    expect(response.text).not.toContain(value);
    expect(JSON.stringify([...response.headers])).not.toContain(value);
  }
  expect(test.log.length).toBeGreaterThan(0);
  expect(test.log.join('\n')).not.toContain(value);
  await test.app.tally.flush();
  expect((await rawDatabase(test)).includes(value)).toBe(false);
}

describe('the value of an API key', () => {
  it('is complete in the response that created it, and later shown as prefix and six characters', async () => {
    const { body } = await test.client.post('/api-keys', { name: 'Generated' });
    expect(body.key).toMatch(/^live_[0-9A-Za-z]{49}$/);
    const responses = await sendEveryRequest(body.key, body.id);
    await expectNowhere(body.key, responses);
    expect(responses[0]!.body.key).toBe(`${body.key.slice(0, 11)}*********`);
    expect(responses[2]!.body.key).toBe(`${body.key.slice(0, 11)}*********`);
  });

  it.each([
    ['our.own_value~with-24-char', 'our.ow*********'],
    ['eight-ch', 'ei*********'],
    ['x'.repeat(256), 'xxxxxx*********'],
  ])('if custom, such as %s, is later shown as %s', async (value, mask) => {
    const { body, status } = await test.client.post('/api-keys', { name: 'Own', key: value });
    expect([status, body.key]).toEqual([201, value]);
    const responses = await sendEveryRequest(value, body.id);
    await expectNowhere(value, responses);
    expect(responses[0]!.body.key).toBe(mask);
  });

  it('that an update sets is complete in its response, and not again', async () => {
    const { body } = await test.client.post('/api-keys', { name: 'To change' });
    const value = 'given-in-an-update';
    const updated = await test.client.patch(`/api-keys/${body.id}`, { name: 'New', key: value });
    expect(updated.body.key).toBe(value);
    expect((await test.client.post(`/api-keys/auth/${body.key}`)).status).toBe(404);
    expect((await test.client.post(`/api-keys/auth/${value}`)).status).toBe(200);
    await expectNowhere(value, await sendEveryRequest(value, body.id));
    await expectNowhere(body.key, []);
  });

  it('that a rotation creates is complete in its response, and not again', async () => {
    const { body } = await test.client.post('/api-keys', { name: 'To rotate' });
    const rotated = await test.client.post(`/api-keys/${body.id}/rotate`, { graceSeconds: 60 });
    expect(rotated.status).toBe(201);
    expect(rotated.body.key).toMatch(/^live_[0-9A-Za-z]{49}$/);
    await expectNowhere(
      rotated.body.key,
      await sendEveryRequest(rotated.body.key, rotated.body.id),
    );
    await expectNowhere(body.key, [rotated]);
  });
});

describe('the value of an access key', () => {
  it('is in the response that created it, and not again', async () => {
    const { client } = test;
    const { body } = await client.post('/access-keys', { name: 'Once' });
    expect(body.key).toMatch(/^account_access_[0-9A-Za-z]{49}$/);
    const rotated = await client.post(`/access-keys/${body.key}/rotate`);
    const responses: TestResponse[] = [await client.get('/access-keys')];
    for (const name of [body.key, rotated.body.key, rotated.body.id])
      responses.push(
        await client.get(`/access-keys/${name}`),
        await client.patch(`/access-keys/${name}`, { name: 'Renamed' }),
        await client.delete(`/access-keys/${name}`),
        await client.patch(`/access-keys/${name}/reactivate`),
        await client.as(name).get('/api-keys'),
        await client.as(null).get('/api-keys', { authorization: `Bearer ${name}` }),
      );
    await expectNowhere(body.key, [...responses, rotated]);
    await expectNowhere(rotated.body.key, responses);
    expect(responses[1]!.body.key).toBe(`${body.key.slice(0, 21)}*********`);
  });

  it('of the first access key is not in the files', async () => {
    await expectNowhere(test.accessKey, []);
  });
});
