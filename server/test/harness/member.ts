import { createHmac, randomBytes } from 'node:crypto';
import type { Role } from '../../src/kernel/authority.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { sha256 } from '../../src/kernel/secrets/crypto.ts';
import type { TestApp } from './test-app.ts';
import { createTestPerson, type TestPerson } from './test-person.ts';

const ids = createIds();
const DAY_MS = 86_400_000;

export interface Membership {
  readonly accountId: string;
  readonly role: Role;
  readonly projectIds?: readonly string[];
}

export interface TestMember extends TestPerson {
  readonly id: string;
  readonly email: string;
}

/** Creates a user with a session and these roles directly in the database, without signing in. */
export async function createMember(
  test: Pick<TestApp, 'storage' | 'clock' | 'url' | 'secrets'>,
  memberships: readonly Membership[],
  now = test.clock.now,
): Promise<TestMember> {
  const id = ids('usr');
  const email = `${id}@example.com`;
  const token = randomBytes(24).toString('base64url');
  const times = { created_at: now, updated_at: now };
  await test.storage.transaction(async (tx) => {
    await tx
      .insertInto('users')
      .values({
        id,
        name: `Person ${id}`,
        email,
        email_verified: 0,
        two_factor_enabled: 0,
        ...times,
      })
      .execute();
    await tx
      .insertInto('sessions')
      .values({
        id: ids('ses'),
        user_id: id,
        token: sha256(token),
        expires_at: now + DAY_MS,
        ...times,
      })
      .execute();
    for (const { accountId, role, projectIds } of memberships)
      await tx
        .insertInto('memberships')
        .values({
          account_id: accountId,
          user_id: id,
          role,
          project_ids: projectIds ? JSON.stringify(projectIds) : null,
          ...times,
        })
        .execute();
  });
  const person = createTestPerson(test.url);
  const signature = createHmac('sha256', test.secrets.loginSecret).update(token).digest('base64');
  const value = encodeURIComponent(`${token}.${signature}`);
  person.cookies.set('__Host-keyward.session_token', value);
  return { ...person, id, email };
}
