import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createIds } from '../../server/src/kernel/ids.ts';

/**
 * The least that an import into this schema can cost: rows that are ready, one prepared statement,
 * a durable commit for each thousand. Prints the seconds it took.
 */
const [folder = '', count = '0'] = process.argv.slice(2);
const ROWS_PER_TRANSACTION = 1000;

const database = new DatabaseSync(join(folder, 'keyward.db'));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
const project = database.prepare('SELECT id, account_id FROM projects LIMIT 1').get() as {
  id: string;
  account_id: string;
};
const makeId = createIds();
const now = Date.now();
const rows = Array.from({ length: Number(count) }, (_, n) => {
  const id = makeId('key');
  const hash = createHash('sha256').update(randomBytes(16)).digest('base64url');
  const context = `{"importId":"${id}"}`;
  return [id, project.account_id, project.id, `Key ${n}`, hash, context, `user-${n}`, id, now, now];
});
const insert = database.prepare(`
  INSERT INTO api_keys (id, account_id, project_id, name, hash, mask, custom_meta_data, is_active,
    creation_context, custom_user_id, limit_group, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, 'sk_l*********', '{"plan":"pro"}', 1, ?, ?, ?, ?, ?)`);

const startedAt = performance.now();
for (let start = 0; start < rows.length; start += ROWS_PER_TRANSACTION) {
  database.exec('BEGIN IMMEDIATE');
  for (const row of rows.slice(start, start + ROWS_PER_TRANSACTION)) insert.run(...row);
  database.exec('COMMIT');
}
console.log((performance.now() - startedAt) / 1000);
database.close();
