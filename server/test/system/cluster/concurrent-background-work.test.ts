import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UsageMaintenance } from '../../../src/features/analytics/index.ts';
import { Sealer, verifyChain } from '../../../src/features/audit/index.ts';
import { deriveSecrets } from '../../../src/kernel/secrets/crypto.ts';
import type { Storage, Tx } from '../../../src/storage/index.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { LONG_TIMEOUTS } from '../../harness/long-timeouts.ts';
import { type FreshPostgres, freshPostgres } from '../../harness/postgres/postgres.ts';
import { TEST_ROOT_SECRET } from '../../harness/test-app.ts';

const MINUTE = Date.UTC(2030, 0, 1);
const secrets = deriveSecrets(TEST_ROOT_SECRET);
const fail = (error: unknown) => {
  throw error;
};

let database: FreshPostgres;
let nodes: Storage[];

beforeEach(async () => {
  database = await freshPostgres({ migrated: true });
  nodes = await Promise.all(
    [1, 2, 3].map(() => openPostgres({ url: database.url, poolSize: 4, timeouts: LONG_TIMEOUTS })),
  );
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await database.dispose();
});

const logRow = (tx: Tx, id: string) =>
  tx
    .insertInto('audit_log')
    .values({
      id,
      account_id: 'acc_1',
      project_id: null,
      actor_type: 'SYSTEM',
      actor_id: 'test',
      action: 'test',
      target_type: 'test',
      target_id: 'test',
      before: null,
      after: null,
      request_id: null,
      client_address: null,
      user_agent: null,
      created_at: 1,
    })
    .execute();

const sealerOf = (storage: Storage) =>
  new Sealer({ storage, secrets, clock: () => 1, onError: fail, rowsPerStep: 5 });

it('a row that commits after thousands of later rows is still sealed', async () => {
  const [slow, quick] = nodes as [Storage, Storage];
  const release = Promise.withResolvers<void>();
  const inserted = Promise.withResolvers<void>();
  const late = slow.transaction(async (tx) => {
    await logRow(tx, 'aud_late');
    inserted.resolve();
    await release.promise;
  });
  await inserted.promise;
  await quick.transaction(async (tx) => {
    await sql`insert into audit_log (id, account_id, actor_type, actor_id, action, target_type,
        target_id, created_at)
      select 'aud_' || n, 'acc_1', 'SYSTEM', 'test', 'test', 'test', 'test', 1
      from generate_series(1, 12000) as n`.execute(tx);
  });
  const sealer = new Sealer({
    storage: quick,
    secrets,
    clock: () => 1,
    onError: fail,
    rowsPerStep: 4_000,
  });
  expect(await sealer.seal()).toBe(12_000);
  release.resolve();
  await late;
  expect(await sealer.seal()).toBe(1);
  const report = await verifyChain(quick.read, secrets.hashAuditLink);
  expect(report).toMatchObject({ proven: 12_001, unsealed: { count: 0 }, broken: null });
});

it('three sealers beside three writers make one complete chain', async () => {
  const sealers = nodes.map(sealerOf);
  const write = async (storage: Storage, node: number) => {
    for (let n = 0; n < 40; n++) await storage.transaction((tx) => logRow(tx, `aud_${node}_${n}`));
  };
  const writing = Promise.all(nodes.map(write));
  let isDone = false;
  const sealing = Promise.all(
    sealers.map(async (sealer) => {
      while (!isDone) await sealer.seal();
    }),
  );
  await writing;
  isDone = true;
  await sealing;
  await sealers[0]!.seal();
  const report = await verifyChain(nodes[0]!.read, secrets.hashAuditLink);
  expect(report).toMatchObject({ proven: 120, unsealed: { count: 0 }, broken: null });
});

it('a row inserted by hand is reported', async () => {
  const [node] = nodes as [Storage];
  for (let n = 0; n < 3; n++) await node.transaction((tx) => logRow(tx, `aud_${n}`));
  await sealerOf(node).seal();
  await node.transaction(async (tx) => {
    await logRow(tx, 'aud_inserted');
    await tx.deleteFrom('audit_unsealed').execute();
  });
  const report = await verifyChain(node.read, secrets.hashAuditLink);
  expect(report.broken).toMatchObject({ fault: 'inserted', id: 'aud_inserted' });
});

/** For each key: seq, last use and five counts, with one valid use. */
const batchOf = (seqs: readonly number[]) =>
  new Uint8Array(Uint32Array.from(seqs.flatMap((seq) => [seq, 1, 1, 0, 0, 0, 0])).buffer);

it('batches journaled by three nodes and added by three nodes are counted once', async () => {
  const seqs = Array.from({ length: 2_500 }, (_, n) => n + 1);
  const maintainers = nodes.map(
    (storage) =>
      new UsageMaintenance({
        storage,
        clock: () => MINUTE,
        retention: { minuteHours: 48, hourDays: 90 },
        onError: fail,
      }),
  );
  const journal = async (storage: Storage) => {
    for (let n = 0; n < 4; n++)
      await storage.transaction((tx) =>
        tx
          .insertInto('usage_journal')
          .values({ minute: MINUTE + (n % 2) * 60_000, entries: batchOf(seqs), folding: 0 })
          .execute(),
      );
  };
  const writing = Promise.all(nodes.map(journal));
  let isDone = false;
  const merging = Promise.all(
    maintainers.map(async (maintainer) => {
      while (!isDone) await maintainer.foldJournal();
    }),
  );
  await writing;
  isDone = true;
  await merging;
  await maintainers[0]!.foldJournal();
  const { rows } = await sql<{ n: number; counted: number; waiting: number }>`
    select count(*) as n, cast(sum(valid) as bigint) as counted,
      (select count(*) from usage_journal) as waiting from usage_minutes`.execute(nodes[0]!.read);
  expect(rows).toEqual([{ n: 5_000, counted: 30_000, waiting: 0 }]);
});
