import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linksAfter, sealOf } from '../../src/features/audit/chain.ts';
import { Sealer, verifyChain } from '../../src/features/audit/index.ts';
import { byLookup, listRows } from '../../src/features/audit/store.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import type { Storage } from '../../src/storage/index.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';

const secrets = deriveSecrets('the root secret of a log that is only for tests');
const EVERYTHING = {
  tenant: { accountId: 'acc_1', projectIds: null },
  filter: { from: null, to: null },
  before: null,
  size: 50,
};

let directory: string;
let storage: Storage;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-lookups-'));
  storage = await openSqlite({ file: join(directory, 'keyward.db') });
});
afterEach(async () => {
  await storage.close();
  rmSync(directory, { recursive: true });
});

const rowOf = (n: number) => ({
  id: `aud_${n}`,
  account_id: 'acc_1',
  project_id: null,
  actor_type: 'system',
  actor_id: 'system',
  action: 'api-key.created',
  target_type: 'api-key',
  target_id: `key_${n}`,
  before: null,
  after: '{}',
  request_id: null,
  client_address: null,
  user_agent: null,
  created_at: n,
});

const insert = (...numbers: number[]) =>
  storage.transaction((tx) =>
    tx.insertInto('audit_log').values(numbers.map(rowOf)).returning('seq').execute(),
  );

/** Seals like the sealer of the previous schema. */
async function sealUpTo(seq: number): Promise<void> {
  const rows = storage.read.selectFrom('audit_log').selectAll().where('seq', '<=', seq);
  const sealed = await rows.orderBy('seq').execute();
  const links = linksAfter({ position: 0, hash: '' }, sealed, 5, secrets.hashAuditLink);
  await storage.transaction((tx) =>
    tx.insertInto('audit_seals').values(sealOf(links, 5)).execute(),
  );
}

const listed = async () =>
  (await listRows(storage, EVERYTHING)).map(({ seq, id, sealed }) => [seq, id, Boolean(sealed)]);

const lookupIds = async () =>
  (await storage.read.selectFrom('audit_by_id').select('id').orderBy('id').execute()).map(
    ({ id }) => id,
  );

it('a log of the previous schema is listed, verified and continued', async () => {
  await migrate(storage, 0, { migrations: migrations.filter(({ version }) => version < 11) });
  await insert(1, 2, 3, 4, 5);
  await sealUpTo(3);
  // The row with the highest number is deleted; its number must not be reused.
  await storage.transaction((tx) => sql`delete from audit_log where seq = 5`.execute(tx));

  await migrate(storage, 0);
  const before = [
    [4, 'aud_4', false],
    [3, 'aud_3', true],
    [2, 'aud_2', true],
    [1, 'aud_1', true],
  ];
  expect(await listed()).toEqual(before);
  expect(await lookupIds()).toEqual(['aud_1', 'aud_2', 'aud_3']);

  expect(await insert(6)).toEqual([{ seq: 6 }]);
  const sealer = new Sealer({ storage, secrets, clock: () => 9, onError: () => {} });
  expect(await sealer.seal()).toBe(2);
  expect(await listed()).toEqual([
    [6, 'aud_6', true],
    ...before.map(([seq, id]) => [seq, id, true]),
  ]);
  expect(await lookupIds()).toEqual(['aud_1', 'aud_2', 'aud_3', 'aud_4', 'aud_6']);
  const report = await verifyChain(storage.read, secrets.hashAuditLink, { engine: 'sqlite' });
  expect(report).toMatchObject({ proven: 5, broken: null, unsealed: { count: 0 } });
});

it('a row with a duplicate id does not stop sealing, and is reported', async () => {
  await migrate(storage, 0);
  await insert(1, 1, 2);
  const sealer = new Sealer({ storage, secrets, clock: () => 9, onError: () => {} });
  expect(await sealer.seal()).toBe(3);
  expect((await listed()).map(([, id]) => id)).toEqual(['aud_2', 'aud_1']);
  const report = await verifyChain(storage.read, secrets.hashAuditLink, { engine: 'sqlite' });
  expect(report).toMatchObject({ proven: 3, broken: { fault: 'not listed', id: 'aud_1' } });
});

it('a row with a forged account entry is not shown to that account', async () => {
  await migrate(storage, 0);
  await insert(1, 2);
  await new Sealer({ storage, secrets, clock: () => 9, onError: () => {} }).seal();
  await storage.transaction((tx) =>
    sql`update audit_by_account set account_id = 'acc_2' where seq = 1`.execute(tx),
  );
  const tenant = { accountId: 'acc_2', projectIds: null };
  expect(await listRows(storage, { ...EVERYTHING, tenant })).toEqual([]);
  expect((await listed()).map(([, id]) => id)).toEqual(['aud_2']);
});

it('forged entries neither show nor hide rows', async () => {
  await migrate(storage, 0);
  await insert(1, 2, 3);
  await new Sealer({ storage, secrets, clock: () => 9, onError: () => {} }).seal();
  await storage.transaction(async (tx) => {
    for (let n = 0; n < 5; n++)
      await sql`insert into audit_by_account (account_id, created_at, id, seq, action, project_id)
        values ('acc_1', ${900 + n}, ${`aud_z${n}`}, 1, 'api-key.created', 'prj_2')`.execute(tx);
    await sql`insert into audit_by_actor values ('other', 2, 'aud_2', 2)`.execute(tx);
  });
  const shown = async (query: object) =>
    (await listRows(storage, { ...EVERYTHING, ...query })).map(({ id }) => id);
  expect(await shown({ size: 2 })).toEqual(['aud_3', 'aud_2']);
  expect(await shown({ tenant: { accountId: 'acc_1', projectIds: ['prj_2'] } })).toEqual([]);
  expect(await shown({ filter: { actor: 'other', from: null, to: null } })).toEqual([]);
});

describe('the list', () => {
  it.each([
    ['audit_by_account', {}],
    ['audit_by_account', { action: 'api-key.created', projectId: 'prj_1' }],
    ['audit_by_target', { target: 'key_1', actor: 'ak_1' }],
    ['audit_by_actor', { actor: 'ak_1' }],
  ])('is read from %s in its order, and only unsealed rows are sorted', async (lookup, some) => {
    await migrate(storage, 0);
    const query = byLookup({
      ...EVERYTHING,
      filter: { from: 1, to: 9, ...some },
      before: { created_at: 8, id: 'aud_1' },
    }).compile(storage.read);
    const { rows } = await storage.read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]),
    );
    const plan = rows.map(({ detail }) => detail);
    const found = plan.findIndex((line) => line.startsWith(`SEARCH ${lookup} USING PRIMARY KEY`));
    expect(plan[found]).toMatch(/_id=\? AND created_at>\? AND \(created_at,id\)<\(\?,\?\)\)$/);
    expect(plan[found + 1]).toBe('SEARCH audit_log USING INTEGER PRIMARY KEY (rowid=?)');
    expect(plan[found + 2]).not.toContain('TEMP B-TREE');
    expect(plan).toContain('SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>?)');
    expect(plan.join('\n')).not.toMatch(/SCAN audit/);
  });
});
