import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const DAY_MS = 86_400_000;

/**
 * Days of usage of every key of a stopped server, up to yesterday, summed up by month and project
 * as the server would have: nine million rows through the API would take days. Answers the first day.
 */
export function seedUsage(dataDirectory: string, days: number): number {
  const database = new DatabaseSync(join(dataDirectory, 'keyward.db'));
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const first = today - days * DAY_MS;
  try {
    database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN');
    const list = `with recursive list(start) as
      (select ${first} union all select start + ${DAY_MS} from list where start + ${DAY_MS} < ${today})`;
    database.exec(`insert into usage_days (seq, start, valid, rate_limited, revoked, expired, domain_denied)
      ${list} select k.seq, list.start, 1 + (k.seq * 7 + list.start / ${DAY_MS}) % 50, k.seq % 3, 0, 0, 0
      from api_keys k cross join list order by k.seq, list.start`);
    const month = "unixepoch(start / 1000, 'unixepoch', 'start of month') * 1000";
    database.exec(`insert into usage_months (seq, start, valid, rate_limited, revoked, expired, domain_denied)
      select seq, ${month}, sum(valid), sum(rate_limited), 0, 0, 0 from usage_days group by seq, 2 order by 1, 2`);
    database.exec(`insert into project_usage (project_id, first_used_at, last_used_at)
      select distinct project_id, ${first}, ${today} from api_keys where true
      on conflict (project_id) do nothing`);
    database.exec(`insert into project_days (seq, start, valid, rate_limited, revoked, expired, domain_denied)
      select p.seq, d.start, sum(d.valid), sum(d.rate_limited), 0, 0, 0
      from usage_days d join api_keys k on k.seq = d.seq join project_usage p on p.project_id = k.project_id
      group by p.seq, d.start`);
    database.exec(
      `update usage_watermarks set rolled_until = ${today} where level <> 'key journal'`,
    );
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
    return first;
  } finally {
    database.close();
  }
}
