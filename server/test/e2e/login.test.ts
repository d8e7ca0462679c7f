import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { createTestPerson, type TestPerson } from '../harness/test-person.ts';

const OWNER = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };

let test: TestApp;
let owner: TestPerson;

beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  owner = createTestPerson(test.url);
});
afterAll(() => test.close());

describe('the setup link', () => {
  it('says what it is for', async () => {
    const answer = await owner.post('/auth/setup/info', { token: test.setupToken });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.accountName).toBe('Default account');
  });

  it('makes an owner who is signed in', async () => {
    const answer = await owner.post('/auth/setup', { token: test.setupToken, ...OWNER });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({ status: 'signed-in' });
    const me = await owner.get('/me');
    expect(me.status, me.text).toBe(200);
    expect(me.body).toMatchObject({ name: OWNER.name, email: OWNER.email, hasPassword: true });
    expect(me.body.accounts).toEqual([
      {
        accountId: test.accountId,
        accountName: 'Default account',
        role: 'owner',
        projectIds: null,
      },
    ]);
  });
  it('signs in', async () => {
    const fresh = createTestPerson(test.url);
    const { email, password } = OWNER;
    const answer = await fresh.post('/auth/sign-in', { email, password });
    expect(answer.status, answer.text).toBe(200);
    const keys = await fresh.get('/api-keys');
    expect(keys.status, keys.text).toBe(200);
    const made = await fresh.post('/api-keys', { name: 'x' });
    expect(made.status, made.text).toBe(201);
  });
});
