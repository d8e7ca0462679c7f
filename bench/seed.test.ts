import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deriveSecrets } from '../server/src/kernel/crypto.ts';
import { shapeOf } from '../server/src/kernel/key-values.ts';
import { migrate } from '../server/src/storage/migrate.ts';
import { openSqlite } from '../server/src/storage/sqlite.ts';
import { ROOT_SECRET } from './keyward-server.ts';
import { seedKeys } from './seed.ts';

const provenance = {
  created_by: 'operator',
  created_by_type: 'USER',
  created_in: 'setup',
  last_changed_by: 'operator',
  last_changed_by_type: 'USER',
  created_at: 1,
  updated_at: 1,
};

/** Seeding goes past the server: here it is held to the schema that the server has now. */
it('writes keys that the server would find by their values, every other one limited', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-seed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const made = await openSqlite({ file: join(folder, 'keyward.db') });
  await migrate(made, 1);
  await made.transaction(async (tx) => {
    const account = { id: 'acc_1', name: 'A', is_active: 1 as const, ...provenance };
    await tx.insertInto('accounts').values(account).execute();
    const project = { ...account, id: 'prj_1', account_id: 'acc_1', env: 'live' as const };
    await tx.insertInto('projects').values(project).execute();
  });

  await made.close();

  const values = seedKeys(folder, 5);

  const storage = await openSqlite({ file: join(folder, 'keyward.db') });
  onTestFinished(() => storage.close());
  const rows = await storage.read.selectFrom('api_keys').selectAll().orderBy('seq').execute();
  const secrets = deriveSecrets(ROOT_SECRET);
  expect(values.map(shapeOf)).toEqual(Array(5).fill('generated'));
  expect(rows.map(({ hash }) => hash)).toEqual(values.map(secrets.hashValue));
  expect(rows.map(({ rate_limit }) => rate_limit !== null)).toEqual([
    true,
    false,
    true,
    false,
    true,
  ]);
  expect(rows.every((row) => row.account_id === 'acc_1' && row.project_id === 'prj_1')).toBe(true);
  const used = await storage.read.selectFrom('key_usage').select('key_seq').execute();
  expect(used.map(({ key_seq }) => key_seq)).toEqual(rows.map(({ seq }) => seq));
  for (const value of values) expect(JSON.stringify(rows)).not.toContain(value);
});
