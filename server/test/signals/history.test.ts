import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sweepHistory } from '../../src/app/history.ts';
import { insertRows } from '../../src/storage/index.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const TABLES = ['leaks', 'invitations', 'setup_links', 'notice_mails'] as const;

async function counts(): Promise<number[]> {
  const found = [];
  for (const table of TABLES) {
    const { rows } = await sql<{
      n: number;
    }>`select count(*) as n from ${sql.table(table)}`.execute(test.storage.read);
    found.push(Number(rows[0]!.n));
  }
  return found;
}

const leak = (n: number, updated_at: number) => ({
  id: `lk_${String(n).padStart(26, '0')}`,
  account_id: test.accountId,
  project_id: test.projectId,
  key_id: `key_${String(n).padStart(26, '0')}`,
  source: 'scan',
  url: null,
  fingerprint: String(n),
  action: 'notified' as const,
  reports: 1,
  created_at: 0,
  updated_at,
});

it('deletes leaks, closed invitations, setup links and the times of mails, and nothing else', async () => {
  const before = test.clock.now;
  const old = before - 1;
  const invitation = (n: number, fields: object) => ({
    id: `inv_${String(n).padStart(26, '0')}`,
    account_id: test.accountId,
    email: `${n}@example.com`,
    role: 'viewer',
    project_ids: null,
    status: 'pending' as const,
    invited_by: 'usr_1',
    token_hash: String(n),
    created_at: 0,
    updated_at: old,
    expires_at: old,
    accepted_by: null,
    email_status: null,
    ...fields,
  });
  const link = { account_id: test.accountId, used_at: null, created_at: 0 };
  const mail = { project_id: test.projectId, due_at: null, sent_at: old };
  await test.storage.transaction(async (tx) => {
    const many = Array.from({ length: 1_201 }, (_, n) => leak(n, n === 0 ? before : old));
    await insertRows(tx, 'leaks', many);
    await insertRows(tx, 'invitations', [
      invitation(1, { status: 'accepted', expires_at: before + 1 }),
      invitation(2, { status: 'cancelled' }),
      invitation(3, {}),
      // Kept: it can still be accepted, and this one was cancelled only now.
      invitation(4, { expires_at: before }),
      invitation(5, { status: 'cancelled', updated_at: before }),
    ]);
    await insertRows(tx, 'setup_links', [
      { ...link, token_hash: 'old', expires_at: old },
      { ...link, token_hash: 'new', expires_at: before },
    ]);
    await insertRows(tx, 'notice_mails', [
      { ...mail, kind: 'expiry' },
      { ...mail, kind: 'limits', due_at: old },
      { ...mail, kind: 'credits', sent_at: before },
    ]);
  });
  const links = (await counts())[2]!;
  // Two nodes at the same time.
  const deleted = await Promise.all([
    sweepHistory(test.storage, before),
    sweepHistory(test.storage, before),
  ]);
  expect(deleted[0] + deleted[1]).toBe(1_200 + 3 + 1 + 1);
  expect(await counts()).toEqual([1, 2, links - 1, 2]);
  expect(await sweepHistory(test.storage, before)).toBe(0);
  const left = await test.storage.read
    .selectFrom('invitations')
    .select('id')
    .orderBy('id')
    .execute();
  expect(left.map(({ id }) => id.at(-1))).toEqual(['4', '5']);
});

it('deletes by an index', async () => {
  if (test.storage.engine !== 'sqlite') return;
  const plans = [];
  for (const [table, condition] of [
    ['leaks', 'updated_at < 1'],
    ['invitations', "updated_at < 1 and (status != 'pending' or expires_at < 1)"],
    ['setup_links', 'expires_at < 1'],
    ['notice_mails', 'sent_at < 1 and due_at is null'],
  ]) {
    const { rows } = await sql<{ detail: string }>`explain query plan select 1 from ${sql.table(
      table!,
    )} where ${sql.raw(condition!)}`.execute(test.storage.read);
    plans.push(...rows.map(({ detail }) => detail));
  }
  expect(plans.filter((detail) => /^SCAN/.test(detail))).toEqual([]);
  expect(plans.filter((detail) => /USING (COVERING )?INDEX/.test(detail))).toHaveLength(4);
});
