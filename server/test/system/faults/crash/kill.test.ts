import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../../../harness/child-server.ts';
import { figure, rounds, timeoutMs } from '../../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../../harness/seeded-random.ts';
import { createTestClient } from '../../../harness/test-client.ts';
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
  'after kill -9 at random points it restarts with every acknowledged write and one first use per key',
  async () => {
    const random = new SeededRandom(runSeed());
    const ledger = new WriteLedger(random);
    server = await start();
    // Events are stored only if a webhook is subscribed to them.
    const webhook = { name: 'Uses', url: 'https://example.com/', topics: ['api-key.firstUsed'] };
    const subscriber = createTestClient(server.url, BOOTSTRAP_KEY);
    const subscribed = await subscriber.post('/webhooks', { ...webhook, status: 'paused' });
    expect(subscribed.status, subscribed.text).toBe(201);
    const used: string[] = [];
    const kills = await rounds(KILLS, async (kill) => {
      if (server === undefined) throw new Error('No server.');
      const writersStopped = ledger.hammer(server.url);
      const client = createTestClient(server.url, BOOTSTRAP_KEY);
      used.push(`used-value-${kill}`);
      const made = await client.post('/api-keys', { name: 'used', key: used.at(-1) });
      expect(made.status, made.text).toBe(201);
      // The keys are used before and after each kill, with flushes at any point in between.
      const using = Promise.allSettled(used.map((value) => client.post(`/api-keys/auth/${value}`)));
      await ledger.untilAcknowledged(1 + random.below(WRITES_MAX));
      expect(await server.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
      await Promise.all([writersStopped(), using]);
      // The lock was released with the process: otherwise this start would fail.
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

/** First uses of the keys named "used", in usage rows and in events. */
function firstUses() {
  const database = new DatabaseSync(join(dataDir, 'keyward.db'), { readOnly: true });
  const count = (sql: string) => Number(Object.values(database.prepare(sql).get()!)[0]);
  const fromEvents = `from events where type = 'api-key.firstUsed' and json_extract(data, '$.name') = 'used'`;
  try {
    return {
      rows: count(
        "select count(first_used_at) from key_usage join api_keys on seq = key_seq where name = 'used'",
      ),
      events: count(`select count(*) ${fromEvents}`),
      keys: count(`select count(distinct json_extract(data, '$.id')) ${fromEvents}`),
    };
  } finally {
    database.close();
  }
}
