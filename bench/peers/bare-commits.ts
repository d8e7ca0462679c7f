import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { createIds } from '#server/kernel/ids.ts';

/**
 * The speed of one durable commit after the other: inserts keys into the schema of a stopped server,
 * each in a transaction of its own. Argument: data directory. Each input line is a number of
 * seconds, answered with the commits per second.
 */
const [folder = ''] = process.argv.slice(2);
const database = new DatabaseSync(join(folder, 'keyward.db'));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
const project = database.prepare('SELECT id, account_id FROM projects LIMIT 1').get() as {
  id: string;
  account_id: string;
};
const createId = createIds();
const insert = database.prepare(`
  INSERT INTO api_keys (id, account_id, project_id, name, hash, mask, custom_meta_data, is_active,
    custom_account_id, creation_context, limit_group, created_at, updated_at)
  VALUES (?, ?, ?, 'Benchmark', ?, 'live_AbCdEf*********', '{}', 1, 'customer-1', '{}', ?, ?, ?)`);

for await (const line of createInterface({ input: process.stdin })) {
  const startedAt = performance.now();
  const endsAt = startedAt + Number(line) * 1000;
  let commits = 0;
  for (; performance.now() < endsAt; commits++) {
    const id = createId('key');
    const hash = createHash('sha256').update(randomBytes(16)).digest('base64url');
    const now = Date.now();
    insert.run(id, project.account_id, project.id, hash, id, now, now);
  }
  const perSecond = commits / ((performance.now() - startedAt) / 1000);
  process.stdout.write(`${JSON.stringify({ perSecond })}\n`);
}
database.close();
