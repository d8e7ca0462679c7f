import { sql } from 'kysely';
import { DEFAULT_RETENTION } from '../../../src/features/analytics/buckets/retention.ts';
import {
  UsageTally,
  UsedAccessKey,
  type UsedKey,
  usageWriter,
} from '../../../src/features/analytics/index.ts';
import { UsageMaintenance } from '../../../src/features/analytics/maintenance.ts';
import { firstUseEvents } from '../../../src/features/api-keys/index.ts';
import { TransactionalOutbox } from '../../../src/features/webhooks/index.ts';
import { createIds } from '../../../src/kernel/ids.ts';
import type { Storage } from '../../../src/storage/index.ts';
import { storeEvents } from '../../harness/store-events.ts';
import { START, startTestApp, type TestApp } from '../../harness/test-app.ts';
import { FailingStorage } from './usage-failing-storage.ts';

export class Key implements UsedKey {
  readonly seq: number;
  readonly project: { readonly id: string };
  readonly resources: readonly string[] | null;
  firstUsedAt: number | null = null;
  constructor(seq: number, projectId: string, resources: readonly string[] | null = null) {
    this.seq = seq;
    this.project = { id: projectId };
    this.resources = resources;
  }
}

export class AccessKey extends UsedAccessKey {
  readonly seq = 1;
}

/** Every table that a use of a key writes to. */
const USAGE_TABLES = [
  ...['minutes', 'quarters', 'days', 'months'].map((grain) => `usage_${grain}`),
  ...['minutes', 'quarters', 'days'].flatMap((g) => [`access_usage_${g}`, `project_${g}`]),
  ...['resource', 'unit'].flatMap((part) =>
    ['quarters', 'days', 'months'].map((g) => `${part}_${g}`),
  ),
  'usage_parts',
  ...['key_usage', 'project_usage', 'usage_journal', 'usage_flushes', 'events'],
];

/** The service with three unused keys. */
export async function startWithKeys(): Promise<TestApp> {
  const test = await startTestApp();
  await storeEvents(test.client);
  for (const name of ['one', 'two', 'three']) await test.client.post('/api-keys', { name });
  return test;
}

/** Resets clock and usage; starting the service for each test would take longer than the tests. */
export async function resetUsage(test: TestApp): Promise<void> {
  await test.storage.transaction(async (tx) => {
    for (const table of USAGE_TABLES) await sql`delete from ${sql.table(table)}`.execute(tx);
    await sql`update usage_watermarks set rolled_until = 0, cursor = 0`.execute(tx);
  });
  test.clock.now = START;
}

/** Tallies and keys of one test, on a service whose usage was reset. */
export class FailingUsage {
  readonly failing: FailingStorage;
  readonly tally: UsageTally;
  /** Writes every batch to the journal, not only large ones. */
  readonly journalling: UsageTally;
  readonly keys: readonly Key[];
  readonly accessKey = new AccessKey();
  /** Errors reported by tallies and maintenance. */
  readonly errors: unknown[] = [];
  readonly #test: TestApp;

  private constructor(test: TestApp, keys: readonly Key[]) {
    this.#test = test;
    this.keys = keys;
    this.failing = new FailingStorage(test.storage);
    this.tally = this.tallyOn(this.failing.storage);
    this.journalling = this.tallyOn(this.failing.storage, 0);
  }

  static async create(test: TestApp): Promise<FailingUsage> {
    await resetUsage(test);
    const rows = await test.storage.point
      .selectFrom('api_keys')
      .select(['seq', 'project_id'])
      .execute();
    return new FailingUsage(
      test,
      rows.map((row) => new Key(row.seq, row.project_id)),
    );
  }

  tallyOn(storage: Storage, directKeysMax?: number): UsageTally {
    const { storage: real, secrets, clock } = this.#test;
    const ids = createIds();
    return new UsageTally({
      write: usageWriter({
        directKeysMax,
        storage,
        ids,
        outbox: new TransactionalOutbox({
          storage: real,
          secrets,
          ids,
          wake: () => {},
          readPrincipal: async () => null,
        }),
        firstUseEvents,
        clock: () => clock.now,
      }),
      onError: (error) => this.errors.push(error),
    });
  }

  maintenanceOn(storage: Storage): UsageMaintenance {
    return new UsageMaintenance({
      storage,
      clock: () => this.#test.clock.now,
      retention: DEFAULT_RETENTION,
      onError: (error) => this.errors.push(error),
    });
  }

  async sumOf(table: string): Promise<number> {
    const { rows } = await sql<{ n: number | null }>`
      select sum(valid + rate_limited + revoked + expired + domain_denied) as n
      from ${sql.table(table)}`.execute(this.#test.storage.point);
    return rows[0]!.n ?? 0;
  }

  async costOf(table: string): Promise<number> {
    const { rows } = await sql<{ n: number | null }>`
      select sum(valid + extra_cost) as n from ${sql.table(table)}`.execute(
      this.#test.storage.point,
    );
    return rows[0]!.n ?? 0;
  }

  async journaledBatches(): Promise<number> {
    const { point } = this.#test.storage;
    return (await point.selectFrom('usage_journal').select('id').execute()).length;
  }

  async reportedTotal(query: string): Promise<number> {
    const { body } = await this.#test.client.get(`/analytics/api-key-totals?${query}`);
    return body.reduce((sum: number, row: { total: number }) => sum + row.total, 0);
  }
}
