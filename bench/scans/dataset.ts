import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#server/features/analytics/usage-kinds.ts';

/** Runs statements that are written for both databases. */
export interface Filler {
  readonly engine: 'sqlite' | 'postgres';
  run(statement: string): Promise<void>;
  close(): Promise<void>;
}

export function sqliteFiller(file: string): Filler {
  const database = new DatabaseSync(file);
  // The file can be made again, so nothing is synced or journaled while it is filled.
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off');
  database.exec('pragma cache_size = -1048576');
  return {
    engine: 'sqlite',
    run: async (statement) => database.exec(statement),
    async close() {
      database.exec('pragma journal_mode = wal; pragma wal_checkpoint(truncate)');
      database.close();
    },
  };
}

export async function postgresFiller(url: string): Promise<Filler> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    engine: 'postgres',
    async run(statement) {
      await client.query(statement);
    },
    async close() {
      await client.query('vacuum analyze');
      await client.end();
    },
  };
}

/** Minutes after this time are not rolled up: to the server they lie in the future. */
const NOT_ROLLED_UP_MINUTES = 2_880;
const NOT_ROLLED_UP_ROWS = 165_000;
const DAYS = 30;

/**
 * Fills an empty installation with one project of `keys` keys: a customer for every ten keys; 30 % with a tag,
 * 40 % with an expiry, 10 % with credits, 20 % with a limit, 5 % revoked, 75 % used. A few of the oldest keys
 * have what is rare: a tag, an early expiry, credits that are nearly used up.
 */
export async function fill(filler: Filler, keys: number, now: number): Promise<void> {
  const sqlite = filler.engine === 'sqlite';
  const series = (count: number) =>
    sqlite
      ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n)`
      : `generate_series(1::bigint, ${count})`;
  const n = (count: number) => `${series(count)} as n${sqlite ? '' : '(i)'}`;
  const id = (prefix: string, number: string) =>
    sqlite
      ? `'${prefix}_' || substr('${'0'.repeat(26)}' || (${number}), -26)`
      : `'${prefix}_' || lpad((${number})::text, 26, '0')`;
  const old = keys / 50_000;
  const customers = keys / 10;
  const created = `${now} - (${keys} - i) * ${Math.floor((700 * DAY_MS) / keys)}`;

  await filler.run(`insert into api_keys (id, account_id, project_id, name, hash, mask,
      custom_meta_data, custom_account_id, custom_user_id, is_active, expires_at, rate_limit,
      rate_limit_ttl, tags, creation_context, limit_group, created_at, updated_at)
    select ${id('key', 'i')}, p.account_id, p.id, 'Service ' || (i % 5000) || ' key ' || i,
      'hash of the value ' || i, 'live_' || (100000 + i % 899999) || '*********', '{"plan":"free"}',
      case when i % 10 = 0 then null else 'customer-' || ((i * 7919) % ${customers}) end,
      case when i % 3 = 0 then 'user-' || i end,
      case when i % 20 = 0 then 0 else 1 end,
      case when i <= ${old} then 1000000000000 + i
        when i % 5 < 2 then ${created} + (i % 1400) * ${DAY_MS} + ${365 * DAY_MS} end,
      case when i % 5 = 0 then 100 end, case when i % 5 = 0 then 60 end,
      case when i <= ${old} then '["legacy"]' when i % 10 < 3 then '["production","eu"]' end,
      '{}', ${id('key', 'i')}, ${created}, ${created}
    from ${n(keys)}, (select * from projects limit 1) as p`);
  await filler.run(`insert into customers (id, account_id, project_id, custom_account_id, name, email,
      custom_meta_data, tags, revision, created_at, updated_at)
    select ${id('cus', 'i')}, p.account_id, p.id, 'customer-' || i, 'Company ' || i,
      'info@company-' || i || '.example', '{}',
      case when i <= ${old} then '["legacy"]' when i % 5 = 0 then '["paying"]' end, 1, i, i
    from ${n(customers - 1)}, (select * from projects limit 1) as p`);
  await filler.run(`insert into credit_pools (project_id, owner_type, owner, account_id, remaining,
      starting_balance, created_at, updated_at)
    select project_id, 'key', id, account_id, case when seq <= ${old} then 1 else 900 end, 1000, 1, 1
    from api_keys where seq % 10 = 1`);
  await usage(filler, keys, now, n);
}

async function usage(
  { run }: Filler,
  keys: number,
  now: number,
  n: (count: number) => string,
): Promise<void> {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const month = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth());
  const counts = 'valid, rate_limited, revoked, expired, domain_denied';
  // Half of the used keys were used within the last day.
  await run(`insert into key_usage (key_seq, first_used_at, last_used_at)
    select seq, created_at, case when seq % 2 = 0 then ${now} - (seq * 7919) % ${DAY_MS}
      else ${now} - ((seq * 7919) % 300) * ${DAY_MS} - seq end
    from api_keys where seq % 4 < 3`);
  await run(`insert into usage_days (seq, start, ${counts})
    select seq, ${today} - (1 + seq % ${DAYS}) * ${DAY_MS}, seq % 1000, 1, 0, 0, 0
    from api_keys where seq % 4 < 3`);
  await run(`insert into usage_months (seq, start, ${counts})
    select seq, ${month}, seq % 1000, 1, 0, 0, 0 from api_keys where seq % 4 < 3`);
  const first = Math.ceil(now / HOUR_MS) * HOUR_MS + HOUR_MS;
  await run(`insert into usage_minutes (start, seq, ${counts})
    select ${first} + (i % ${NOT_ROLLED_UP_MINUTES}) * ${MINUTE_MS},
      1 + (i * 7919) % ${keys}, 5, 0, 0, 0, 0
    from ${n(Math.min(NOT_ROLLED_UP_ROWS, keys))} where true on conflict do nothing`);
}
