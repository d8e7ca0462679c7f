import { Client } from 'pg';
import { expect, it } from 'vitest';
import { freshPostgres } from './postgres.ts';

it('gives each test its own database', async () => {
  const [a, b] = await Promise.all([freshPostgres(), freshPostgres()]);
  expect(a.url).not.toBe(b.url);
  const client = new Client({ connectionString: a.url });
  client.on('error', () => {});
  await client.connect();
  expect((await client.query('show server_version_num')).rows).toHaveLength(1);
  await a.dispose();
  await b.dispose();
  await expect(client.query('select 1')).rejects.toThrow();
});
