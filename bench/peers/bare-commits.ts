import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { createIds } from '../../server/src/kernel/ids.ts';

/**
 * What `synchronous=FULL` allows one by one: a key is inserted and committed, then the next, into
 * the schema of a stopped server. The argument is its folder; each line is a number of seconds,
 * answered with how many were committed in them.
 */
const [folder = ''] = process.argv.slice(2);
const database = new DatabaseSync(join(folder, 'keyward.db'));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
const project = database.prepare('SELECT id, account_id FROM projects LIMIT 1').get() as {
  id: string;
  account_id: string;
};
const makeId = createIds();
const insert = database.prepare(`
  INSERT INTO api_keys (id, account_id, project_id, name, hash, mask, custom_meta_data, is_active,
    custom_account_id, creation_context, limit_group, created_at, updated_at)
  VALUES (?, ?, ?, 'Made by the benchmark', ?, 'live_AbCdEf*********', '{}', 1, 'customer-1', '{}',
    ?, ?, ?)`);

for await (const line of createInterface({ input: process.stdin })) {
  const startedAt = performance.now();
  const endsAt = startedAt + Number(line) * 1000;
  let keys = 0;
  for (; performance.now() < endsAt; keys++) {
    const id = makeId('key');
    const hash = createHash('sha256').update(randomBytes(16)).digest('base64url');
    const now = Date.now();
    // Outside a transaction each statement is one, with its own commit.
    insert.run(id, project.account_id, project.id, hash, id, now, now);
  }
  process.stdout.write(
    `${JSON.stringify({ keys, seconds: (performance.now() - startedAt) / 1000 })}\n`,
  );
}
database.close();
