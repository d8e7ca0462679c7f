import { sql } from 'kysely';
import type { Storage } from '../../src/storage/index.ts';

/** More keys than are sorted in one page, and than one page looks at. */
export const MANY = 20_000;
const DAY = 86_400_000;
export const NOW = 1_000 * DAY;
const ACCOUNT = 'acc_many';
export const PROJECT = 'prj_many';
export const tenant = { accountId: ACCOUNT, projectIds: null };

export const idOf = (prefix: string, n: number): string =>
  `${prefix}_${String(n).padStart(26, '0')}`;

const provenance = {
  is_active: 1 as const,
  created_by: 'x',
  created_by_type: 'USER' as const,
  created_in: 'x',
  last_changed_by: 'x',
  last_changed_by_type: 'USER' as const,
  created_at: 1,
  updated_at: 1,
};

/** Keys and customers that all have what a filter may ask for. Half of the keys have an expiry and were used. */
export async function createManyKeys(storage: Storage): Promise<void> {
  const sqlite = storage.engine === 'sqlite';
  const n = sqlite
    ? sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MANY})
        select i from n) as n`
    : sql`generate_series(1, ${sql.lit(MANY)}) as n(i)`;
  const id = (prefix: string) =>
    sqlite ? sql`printf(${`${prefix}_%026d`}, i)` : sql`${`${prefix}_`} || lpad(i::text, 26, '0')`;
  await storage.transaction(async (tx) => {
    await tx
      .insertInto('accounts')
      .values({ id: ACCOUNT, name: 'x', ...provenance })
      .execute();
    await tx
      .insertInto('projects')
      .values({ id: PROJECT, account_id: ACCOUNT, name: 'x', env: 'live', ...provenance } as never)
      .execute();
    await sql`insert into plans (id, account_id, project_id, name, revision, created_at, updated_at)
      values (${idOf('pln', 1)}, ${ACCOUNT}, ${PROJECT}, 'x', 1, 1, 1)`.execute(tx);
    await sql`insert into api_keys (id, account_id, project_id, name, hash, mask, custom_meta_data,
        custom_account_id, custom_user_id, is_active, expires_at, rate_limit, rate_limit_ttl, tags,
        plan_id, creation_context, limit_group, created_at, updated_at)
      select ${id('key')}, ${ACCOUNT}, ${PROJECT}, 'many', 'hash ' || i, 'live_x', '{}', 'many', 'many', 0,
        case when i % 2 = 0 then (i * 7919) % 977 end, 1, 1, '["many"]', ${idOf('pln', 1)}, '{}',
        ${id('key')}, i, i from ${n}`.execute(tx);
    await sql`insert into customers (id, account_id, project_id, custom_account_id, name, plan_id,
        custom_meta_data, tags, revision, created_at, updated_at)
      select ${id('cus')}, ${ACCOUNT}, ${PROJECT}, 'customer ' || i, 'many', ${idOf('pln', 1)}, '{}',
        '["many"]', 1, i, i from ${n}`.execute(tx);
    await sql`insert into credit_pools (project_id, owner_type, owner, account_id, remaining,
        starting_balance, created_at, updated_at)
      select ${PROJECT}, 'key', ${id('key')}, ${ACCOUNT}, 1, 1000, 1, 1 from ${n}`.execute(tx);
    await sql`insert into key_usage (key_seq, first_used_at, last_used_at)
      select seq, 1, ${sql.lit(NOW)} - (seq * 7919) % ${sql.lit(40 * DAY)} from api_keys where seq % 2 = 0`.execute(
      tx,
    );
    await sql`insert into usage_days (seq, start, valid, rate_limited, revoked, expired, domain_denied)
      select seq, ${sql.lit(NOW - DAY)}, 1, 0, 0, 0, 0 from api_keys`.execute(tx);
    await sql`insert into usage_parts (project_id, resource, unit)
      values (${PROJECT}, 'many', ''), (${PROJECT}, 'many', 'tokens')`.execute(tx);
    for (const unit of ['', 'tokens'])
      await sql`insert into usage_parts (project_id, key_seq, resource, unit)
        select ${PROJECT}, seq, 'many', ${unit} from api_keys`.execute(tx);
    await sql`insert into resource_days (seq, start, valid, rate_limited, revoked, expired, domain_denied,
        not_started, ip_denied, permission_denied, credits_exhausted, extra_cost)
      select seq, ${sql.lit(NOW - DAY)}, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 from usage_parts where unit = ''`.execute(
      tx,
    );
    await sql`insert into unit_days (seq, start, amount)
      select seq, ${sql.lit(NOW - DAY)}, 1 from usage_parts where unit <> ''`.execute(tx);
    if (!sqlite) await sql`analyze`.execute(tx);
  });
}
