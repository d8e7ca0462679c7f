// 8 s of CPU: the plans of queries depend on the number of rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_HASH, sealAfter } from '../../src/features/audit/chain.ts';
import { Sealer, verifyChain } from '../../src/features/audit/index.ts';
import { unsealedRows } from '../../src/features/audit/seal-store.ts';
import {
  type LogFilter,
  listQuery,
  listRows,
  positionQuery,
} from '../../src/features/audit/store.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import type { Storage } from '../../src/storage/index.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';

const secrets = deriveSecrets('the root secret of a log that is only for tests');
const tenant = { accountId: 'acc_1', projectIds: null };
const EVERYTHING: LogFilter = { from: null, to: null };

let directory: string;
let storage: Storage;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-audit-indexes-'));
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

const run = (statement: RawBuilder<unknown>) =>
  storage.transaction((tx) => statement.execute(tx).then(() => {}));

const migrateBefore = (version: number) =>
  migrate(storage, 0, { migrations: migrations.filter((each) => each.version < version) });

/** Seals like the sealer of earlier schemas: the rows up to `seq`. */
async function sealUpTo(seq: number): Promise<void> {
  const rows = await storage.read
    .selectFrom('audit_log')
    .selectAll()
    .where('seq', '<=', seq)
    .orderBy('seq')
    .execute();
  const seal = sealAfter({ position: 0, hash: NO_HASH }, rows, 5, secrets.hashAuditLink);
  await storage.transaction((tx) => tx.insertInto('audit_seals').values(seal).execute());
}

const seal = () => new Sealer({ storage, secrets, clock: () => 9, onError: () => {} }).seal();

const verify = () => verifyChain(storage.read, secrets.hashAuditLink);

const listed = async (filter = EVERYTHING) => {
  const rows = await listRows(storage, { tenant, filter, before: null, size: 50 });
  return rows.map(({ seq, id, sealed }) => [seq, id, Boolean(sealed)]);
};

describe.each([11, 22])('a log from before migration %i', (version) => {
  it('is listed, verified and continued', async () => {
    await migrateBefore(version);
    await insert(1, 2, 3, 4, 5);
    await sealUpTo(3);
    // The row with the highest number is deleted; its number must not be reused.
    await run(sql`delete from audit_log where seq = 5`);

    await migrate(storage, 0);
    const before = [
      [4, 'aud_4', false],
      [3, 'aud_3', true],
      [2, 'aud_2', true],
      [1, 'aud_1', true],
    ];
    expect(await listed()).toEqual(before);
    expect(await listed({ ...EVERYTHING, target: 'key_2,key_4' })).toEqual([before[0], before[2]]);
    expect(await verify()).toMatchObject({
      proven: 3,
      broken: null,
      unsealed: { count: 1, newest: ['aud_4'] },
    });

    expect(await insert(6)).toEqual([{ seq: 6 }]);
    expect(await seal()).toBe(2);
    expect(await listed()).toEqual([
      [6, 'aud_6', true],
      ...before.map(([seq, id]) => [seq, id, true]),
    ]);
    expect(await verify()).toMatchObject({ proven: 5, broken: null, unsealed: { count: 0 } });
  });

  it('is migrated with a row that was inserted by hand, which is still reported', async () => {
    await migrateBefore(version);
    await insert(1, 2, 3);
    await sealUpTo(2);
    await run(sql`insert into audit_log (seq, id, account_id, actor_type, actor_id, action,
        target_type, target_id, created_at)
      values (0, ${version === 11 ? 'aud_forged' : 'aud_1'}, 'acc_1', 'x', 'x', 'x', 'x', 'x', 1)`);
    await migrate(storage, 0);
    expect(await seal()).toBe(1);
    const { id } = await storage.read
      .selectFrom('audit_log')
      .select('id')
      .where('seq', '=', 0)
      .executeTakeFirstOrThrow();
    expect(await verify()).toMatchObject({ proven: 3, broken: { fault: 'inserted', id } });
  });
});

it('a row with a duplicate id does not stop sealing', async () => {
  await migrate(storage, 0);
  await insert(1, 1, 2);
  expect(await seal()).toBe(3);
  expect((await listed()).map(([, id]) => id)).toEqual(['aud_2', 'aud_1', 'aud_1']);
  expect(await verify()).toMatchObject({ proven: 3, broken: null });
});

describe('SQLite reads', () => {
  beforeEach(() => migrate(storage, 0));

  async function planOf({ sql: text, parameters }: CompiledQuery): Promise<string[]> {
    const { rows } = await storage.read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${text}`, [...parameters]),
    );
    return rows.map(({ detail }) => detail);
  }

  it.each([
    ['account_id_created_at_id_action_project_id', {}],
    ['account_id_created_at_id_action_project_id', { action: 'a.b', projectId: 'prj_1' }],
    ['target_id_created_at_id', { target: 'key_1' }],
    ['target_id_created_at_id', { target: 'key_1', actor: 'ak_1' }],
    ['target_id_created_at_id', { target: 'key_1,key_2', actor: 'ak_1' }],
    ['actor_id_created_at_id', { actor: 'ak_1', action: 'a.' }],
  ])('the list in the order of the index by %s, for %o', async (index, some) => {
    const query = listQuery({
      tenant: { accountId: 'acc_1', projectIds: ['prj_1', 'prj_2'] },
      filter: { from: 1, to: 9, ...some },
      before: { created_at: 8, id: 'aud_1' },
      size: 50,
    });
    const [found, ...others] = await planOf(query.compile(storage.read));
    const column = index.replace('_created_at_id', '').replace('_action_project_id', '');
    expect(found).toBe(
      `SEARCH audit_log USING INDEX audit_log_by_${index} (${column}=? AND created_at>? AND (created_at,id)<(?,?))`,
    );
    // Only the rows of several targets are sorted.
    expect(others.join('\n').includes('TEMP B-TREE')).toBe(
      'target' in some && /,/.test(some.target),
    );
    expect(others.join('\n')).not.toMatch(/SCAN/);
  });

  it('the position of a row by its id', async () => {
    const query = positionQuery(storage.point, { ...tenant, projectIds: ['prj_1'] }, 'aud_1');
    expect(await planOf(query.compile())).toEqual([
      'SEARCH audit_log USING INDEX audit_log_by_id (id=?)',
    ]);
  });

  it('the unsealed rows by their list', async () => {
    expect(await planOf(unsealedRows(storage.read, 250).compile())).toEqual([
      'SCAN audit_unsealed',
      'SEARCH audit_log USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
  });
});
