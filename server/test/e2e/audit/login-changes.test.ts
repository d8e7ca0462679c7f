import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createIds } from '../../../src/kernel/ids.ts';
import { createMember, type TestMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { operatorHeaders } from '../other-account.ts';

const ids = createIds();

let test: TestApp;
let person: TestMember;
/** Other sessions of the same person. */
const otherSessions = [ids('ses'), ids('ses')] as const;
beforeAll(async () => {
  test = await startTestApp();
  person = await createMember(test, [{ accountId: test.accountId, role: 'viewer' }]);
  const { now } = test.clock;
  await test.storage.transaction(async (tx) => {
    for (const id of otherSessions)
      await tx
        .insertInto('sessions')
        .values({
          id,
          user_id: person.id,
          token: `the hash of the token of ${id}`,
          expires_at: now + 86_400_000,
          created_at: now,
          updated_at: now,
        })
        .execute();
    await tx
      .insertInto('passkeys')
      .values({
        id: 'passkey-1',
        name: 'Laptop',
        public_key: '',
        user_id: person.id,
        credential_id: 'credential-1',
        counter: 0,
        device_type: 'singleDevice',
        backed_up: 0,
        created_at: now,
      })
      .execute();
    await tx
      .insertInto('credentials')
      .values({
        id: 'credential-1',
        user_id: person.id,
        account_id: '1',
        provider_id: 'github',
        created_at: now,
        updated_at: now,
      })
      .execute();
    await tx
      .updateTable('users')
      .set({ two_factor_enabled: 1 })
      .where('id', '=', person.id)
      .execute();
  });
});
afterAll(() => test.close());

const run = (statement: string) => test.storage.transaction((tx) => sql.raw(statement).execute(tx));

/** Makes every insert into the audit log fail. */
async function closeLog(): Promise<void> {
  if (test.storage.engine === 'sqlite')
    return void (await run(`CREATE TRIGGER closed BEFORE INSERT ON audit_log
      BEGIN SELECT RAISE(ABORT, 'the log is closed'); END`));
  await run(`CREATE FUNCTION closed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the log is closed'; END $$`);
  await run('CREATE TRIGGER closed BEFORE INSERT ON audit_log EXECUTE FUNCTION closed()');
}

const openLog = () =>
  run(test.storage.engine === 'sqlite' ? 'DROP TRIGGER closed' : 'DROP FUNCTION closed CASCADE');

/** The rows that the changes below affect. */
async function stored() {
  const { point } = test.storage;
  return {
    user: await point.selectFrom('users').selectAll().where('id', '=', person.id).execute(),
    passkeys: await point
      .selectFrom('passkeys')
      .selectAll()
      .where('user_id', '=', person.id)
      .execute(),
    credentials: await point
      .selectFrom('credentials')
      .selectAll()
      .where('user_id', '=', person.id)
      .orderBy('id')
      .execute(),
    sessions: await point
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', person.id)
      .orderBy('id')
      .execute(),
  };
}

/** In this order, each change is still possible after the previous ones. */
const CHANGES: Record<string, () => Promise<{ status: number; text: string }>> = {
  'user.renamed': () => person.patch('/me', { name: 'Grace' }),
  'user.passkey-renamed': () => person.patch('/auth/passkeys/passkey-1', { name: 'Phone' }),
  'user.passkey-removed': () => person.delete('/auth/passkeys/passkey-1'),
  'user.provider-unlinked': () => person.delete('/auth/providers/github'),
  'user.session-ended': () => person.delete(`/auth/sessions/${otherSessions[0]}`),
  'user.other-sessions-ended': () => person.delete('/auth/sessions'),
  'user.session-ended by signing out': () => person.post('/auth/sign-out'),
  'user.two-factor-dropped': () => {
    const path = `/users/${person.id}/second-factor`;
    return test.client.as(null).delete(path, operatorHeaders(test, 'DELETE', path));
  },
};

it.each(Object.keys(CHANGES))(
  '%s: the change and its audit row are stored, or neither',
  async (name) => {
    const change = CHANGES[name]!;
    const before = await stored();
    const cookies = new Map(person.cookies);
    await closeLog();
    const refused = await change().finally(openLog);
    expect(refused.status, refused.text).toBe(500);
    expect(await stored()).toEqual(before);

    for (const [cookie, value] of cookies) person.cookies.set(cookie, value);
    const made = await change();
    expect(made.status, made.text).toBe(200);
    const [last] = await test.storage.point
      .selectFrom('audit_log')
      .select(['action', 'target_id'])
      .orderBy('seq', 'desc')
      .limit(1)
      .execute();
    expect(last).toEqual({ action: name.split(' ')[0], target_id: person.id });
  },
);
