import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { migrate, schemaVersion } from '../../../src/storage/migrate.ts';
import { migrations } from '../../../src/storage/migrations/index.ts';
import type { Migration } from '../../../src/storage/migrations/migration.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { ChildServer } from '../../harness/child-server.ts';
import { LONG_TIMEOUTS } from '../../harness/long-timeouts.ts';
import { timeoutMs } from '../../harness/scale.ts';
import { TEST_ROOT_SECRET } from '../../harness/test-app.ts';
import { createTestClient } from '../../harness/test-client.ts';
import { type ClusterNode, startCluster } from '../../harness/test-cluster.ts';

const directory = mkdtempSync(join(tmpdir(), 'keyward-rolling-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A migration that the next version might have: older code can ignore it. */
const expanding: Migration = {
  version: schemaVersion + 1,
  name: 'next version',
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('api_keys').addColumn('colour', 'text').execute();
    await db.schema.createTable('colours').addColumn('name', 'text').execute();
    await sql`create index api_keys_by_colour on api_keys (account_id, colour)`.execute(db);
    // Long enough for the old node to get requests while the lock is held.
    await sql`select pg_sleep(0.5)`.execute(db);
  },
};

/** A migration of the version after that, which removes something. */
const contracting: Migration = {
  version: schemaVersion + 2,
  name: 'version after next',
  compatibleFrom: { postgres: schemaVersion + 1 },
  async up(db: Kysely<unknown>) {
    await db.schema.dropTable('colours').execute();
  },
};

async function upgrade(url: string, steps: readonly Migration[]) {
  const storage = await openPostgres({ url, poolSize: 2, timeouts: LONG_TIMEOUTS });
  const options = { migrations: [...migrations, ...steps] };
  return migrate(storage, Date.now(), options).finally(() => storage.close());
}

/** Creates and validates keys, one after the other, until `stop` is called. */
function load({ client }: ClusterNode) {
  let isStopped = false;
  const done = (async () => {
    let rounds = 0;
    for (; !isStopped || rounds < 3; rounds++) {
      const made = await client.post('/api-keys', { name: `round ${rounds}` });
      expect(made.status, made.text).toBe(201);
      const used = await client.post(`/api-keys/auth/${made.body.key}`);
      expect(used.status, used.text).toBe(200);
    }
    return rounds;
  })();
  return {
    stop: () => {
      isStopped = true;
      return done;
    },
  };
}

it('old and new nodes run side by side, and a downgrade is possible until a migration removes something', {
  timeout: timeoutMs,
}, async () => {
  const cluster = await startCluster({ nodes: 1, limitsPerNode: true });
  const [old] = cluster.nodes;
  const startOld = () =>
    new ChildServer({
      dataDir: join(directory, 'node'),
      env: {
        KEYWARD_DATABASE_URL: cluster.database.url,
        KEYWARD_SECRET: TEST_ROOT_SECRET,
        KEYWARD_RATE_LIMITS: 'per-node',
      },
    });
  try {
    const running = load(old!);
    // Two new nodes start concurrently: the migration runs once, and the old node keeps working.
    const results = await Promise.all([1, 2].map(() => upgrade(cluster.database.url, [expanding])));
    for (const { to } of results) expect(to).toBe(schemaVersion + 1);
    expect(await running.stop()).toBeGreaterThanOrEqual(3);
    const versions = await cluster.administer('select version from schema_version');
    expect(versions).toHaveLength(migrations.length + 1);

    const fresh = await cluster.addNode();
    const made = await old!.client.post('/api-keys', { name: 'created by the old node' });
    expect((await fresh.client.post(`/api-keys/auth/${made.body.key}`)).status).toBe(200);
    await fresh.client.delete(`/api-keys/${made.body.id}`);
    await expect
      .poll(async () => (await old!.client.post(`/api-keys/auth/${made.body.key}`)).status)
      .toBe(404);

    // Downgrade: the old version starts on the new schema and does not change it.
    const restarted = await startOld().ready();
    const client = createTestClient(restarted.url, cluster.accessKey);
    expect((await client.post('/api-keys', { name: 'after the downgrade' })).status).toBe(201);
    expect(await restarted.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await cluster.administer('select version from schema_version')).toHaveLength(
      migrations.length + 1,
    );

    await upgrade(cluster.database.url, [expanding, contracting]);
    const refused = startOld();
    expect((await refused.exited).code).toBe(1);
    expect(refused.output).toContain(
      `This database has schema version ${schemaVersion + 2}, newer than this Keyward knows (${schemaVersion}).`,
    );
    // One version back is still possible.
    expect(await upgrade(cluster.database.url, [expanding])).toEqual({
      from: schemaVersion + 2,
      to: schemaVersion + 2,
    });
  } finally {
    await cluster.dispose();
  }
});
