import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import { createTestClient } from '../harness/test-client.ts';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../lifecycle/child-server.ts';
import { figure, rounds, timeoutMs } from './scale.ts';
import { runSeed, SeededRandom } from './seeded-random.ts';
import { WriteLedger } from './write-ledger.ts';

const KILLS = { full: 50, quick: 3, atLeast: 2 };
const WRITES_MAX = 300;

const dataDir = mkdtempSync(join(tmpdir(), 'keyward-kill-'));
let server: ChildServer | undefined;

afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const start = () =>
  startServer({
    dataDir,
    env: { KEYWARD_MANAGEMENT_LIMIT: '1000000000', KEYWARD_LOG_LEVEL: 'error' },
  });

it(
  'killed at random points it starts again, with all that was acknowledged and one first use a key',
  async () => {
    const random = new SeededRandom(runSeed());
    const ledger = new WriteLedger(random);
    server = await start();
    const used: string[] = [];
    const kills = await rounds(KILLS, async (kill) => {
      if (server === undefined) throw new Error('No server.');
      const givenUp = ledger.hammer(server.url);
      const client = createTestClient(server.url, BOOTSTRAP_KEY);
      used.push(`used-value-${kill}`);
      const made = await client.post('/api-keys', { name: 'used', key: used.at(-1) });
      expect(made.status, made.text).toBe(201);
      // In use before and after each kill, with flushes anywhere in between.
      const using = Promise.allSettled(used.map((value) => client.post(`/api-keys/auth/${value}`)));
      await ledger.acknowledgedMore(1 + random.below(WRITES_MAX));
      expect(await server.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
      await Promise.all([givenUp(), using]);
      // The lock went with the process: otherwise this start would be refused.
      server = await start();
      expect(await ledger.lostOn(server.url)).toEqual([]);
    });
    const client = createTestClient(server.url, BOOTSTRAP_KEY);
    for (const value of used)
      expect((await client.post(`/api-keys/auth/${value}`)).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(firstUses()).toEqual({ rows: kills, events: kills, keys: kills });
    console.log(
      `kill -9: ${kills} kills, ${figure(ledger.acknowledged)} acknowledged writes, 0 lost, ${kills} keys used with one first use each`,
    );
  },
  timeoutMs,
);

/** What the database says of the keys named "used". */
function firstUses() {
  const database = new DatabaseSync(join(dataDir, 'keyward.db'), { readOnly: true });
  const count = (sql: string) => Number(Object.values(database.prepare(sql).get()!)[0]);
  const told = `from events where type = 'api-key.firstUsed' and json_extract(data, '$.name') = 'used'`;
  try {
    return {
      rows: count(
        "select count(first_used_at) from key_usage join api_keys on seq = key_seq where name = 'used'",
      ),
      events: count(`select count(*) ${told}`),
      keys: count(`select count(distinct json_extract(data, '$.id')) ${told}`),
    };
  } finally {
    database.close();
  }
}
