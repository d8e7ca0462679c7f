import { Client } from 'pg';
import { deriveSecrets } from '../server/src/kernel/crypto.ts';
import { createIds } from '../server/src/kernel/ids.ts';
import { generateValue, maskValue } from '../server/src/kernel/key-values.ts';
import { ROOT_SECRET } from './keyward-server.ts';
import { LIMIT } from './seed.ts';

const ROWS_PER_STATEMENT = 5_000;

const INSERT = `
  with made as (
    insert into api_keys (id, account_id, project_id, name, hash, mask, custom_meta_data, is_active,
      rate_limit, rate_limit_ttl, creation_context, limit_group, created_at, updated_at)
    select id, $1, $2, 'Key', hash, mask, '{}', 1, rate_limit, rate_limit_ttl, '{}', id, $3, $3
    from unnest($4::text[], $5::text[], $6::text[], $7::int[], $8::int[])
      as rows(id, hash, mask, rate_limit, rate_limit_ttl)
    returning seq)
  insert into key_usage (key_seq, first_used_at, last_used_at) select seq, $3, $3 from made`;

/** As `seedKeys` does it: every other key is limited, and all have been used before. */
export async function seedPostgres(url: string, count: number): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; account_id: string }>(
      "select id, account_id from projects where env = 'live' limit 1",
    );
    const project = rows[0];
    if (project === undefined) throw new Error('The first boot made no project.');
    const secrets = deriveSecrets(ROOT_SECRET);
    const makeId = createIds();
    const values = Array.from({ length: count }, () => generateValue('live_'));
    for (let start = 0; start < count; start += ROWS_PER_STATEMENT) {
      const some = values.slice(start, start + ROWS_PER_STATEMENT);
      const limits = some.map((_, n) => n % 2 === 0);
      await client.query(INSERT, [
        project.account_id,
        project.id,
        Date.now(),
        some.map(() => makeId('key')),
        some.map((value) => secrets.hashValue(value)),
        some.map(maskValue),
        limits.map((isLimited) => (isLimited ? LIMIT.rateLimit : null)),
        limits.map((isLimited) => (isLimited ? LIMIT.rateLimitTtl : null)),
      ]);
    }
    await client.query('analyze');
    return values;
  } finally {
    await client.end();
  }
}
