import { seeding } from './seed.ts';

const DAY_MS = 86_400_000;

/** How often a key was used on a day, so that everything can be summed up without reading it. */
const VALID = `1 + (keys.seq * 7 + days.start / ${DAY_MS}) % 50`;
const LIMITED = 'keys.seq % 3';

/**
 * Days of usage of every key of a stopped server, up to yesterday, summed up by month and project
 * as the server would have: nine million rows through the API would take days. Answers the first day.
 */
export function seedUsage(dataDirectory: string, days: number): number {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const first = today - days * DAY_MS;
  seeding(dataDirectory, (database) => {
    // Walked key by key and day by day, as the tables that are written stand: nothing is sorted.
    database.exec(`
      create temp table keys (seq integer primary key);
      insert into keys select seq from api_keys order by seq;
      create temp table days (month integer, start integer, primary key (month, start)) without rowid;
      insert into days with recursive list(start) as
        (select ${first} union all select start + ${DAY_MS} from list where start + ${DAY_MS} < ${today})
        select unixepoch(start / 1000, 'unixepoch', 'start of month') * 1000, start from list;
      insert into usage_days (seq, start, valid, rate_limited, revoked, expired, domain_denied)
        select keys.seq, days.start, ${VALID}, ${LIMITED}, 0, 0, 0 from keys cross join days;
      insert into usage_months (seq, start, valid, rate_limited, revoked, expired, domain_denied)
        select keys.seq, days.month, sum(${VALID}), sum(${LIMITED}), 0, 0, 0
        from keys cross join days group by keys.seq, days.month;
      insert into project_usage (project_id, first_used_at, last_used_at)
        select distinct project_id, ${first}, ${today} from api_keys where true
        on conflict (project_id) do nothing;
      insert into project_days (seq, start, valid, rate_limited, revoked, expired, domain_denied)
        select project_usage.seq, days.start, (select sum(${VALID}) from keys),
          (select sum(${LIMITED}) from keys), 0, 0, 0 from project_usage cross join days;
      update usage_watermarks set rolled_until = ${today} where level <> 'key journal'`);
  });
  return first;
}
