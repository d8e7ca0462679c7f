import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { firstBoot } from '../../../../src/app/first-boot.ts';
import { Sealer } from '../../../../src/features/audit/index.ts';
import { createIds } from '../../../../src/kernel/ids.ts';
import { deriveSecrets } from '../../../../src/kernel/secrets/crypto.ts';
import { migrate } from '../../../../src/storage/migrate.ts';
import { openSqlite } from '../../../../src/storage/sqlite.ts';

export const ROOT_SECRET = 'the root secret of an installation that is moved';

/** Creates a stopped installation with this many keys, all used, and a sealed audit log. */
export async function makeInstallation(
  dataDir: string,
  size: { readonly keys: number; readonly audited: number },
): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, 'secret'), ROOT_SECRET);
  const file = join(dataDir, 'keyward.db');
  const secrets = deriveSecrets(ROOT_SECRET);
  const storage = await openSqlite({ file });
  await migrate(storage, 0);
  await firstBoot(storage, secrets, createIds(), Date.now(), null);
  fill(file, size);
  const sealer = new Sealer({
    storage,
    secrets,
    clock: Date.now,
    onError: (error) => {
      throw error;
    },
  });
  await sealer.seal();
  await storage.close();
}

function fill(file: string, { keys, audited }: { keys: number; audited: number }): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(`begin;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${keys})
    insert into api_keys (id, account_id, project_id, name, hash, mask, custom_meta_data, is_active,
      expires_at, rate_limit, rate_limit_ttl, creation_context, limit_group, created_at, updated_at)
    select printf('key_%026d', i), p.account_id, p.id, 'Key ' || i || ' ÄöΩ😀', hex(randomblob(16)),
      'live_*****', '{"plan":"free"}', i % 2, case i % 3 when 0 then null else i end,
      case i % 5 when 0 then 10 end, case i % 5 when 0 then 60 end, 'api',
      printf('key_%026d', i), i, i
    from n, projects p;
    insert into key_usage select seq, 1000, 2000 from api_keys;
    insert into usage_days (seq, start, valid, rate_limited, revoked, expired, domain_denied)
    select seq, 86400000, seq % 7, 1, 0, 0, 0 from api_keys;
    insert into usage_journal (minute, entries, folding)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 50)
    select i, randomblob(4000), 0 from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${audited})
    insert into audit_log (id, account_id, actor_type, actor_id, action, target_type, target_id, created_at)
    select printf('aud_%026d', i), p.account_id, 'access-key', 'ak_1', 'api-key.updated', 'api-key', 'key_1', i
    from n, projects p;
    commit`);
  database.close();
}
