import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { figure, rounds, timeoutMs } from '../../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../../harness/seeded-random.ts';
import { storeEvents } from '../../../harness/store-events.ts';
import { startCluster, type TestCluster } from '../../../harness/test-cluster.ts';

const CHILD = fileURLToPath(new URL('./expiry-node.child.ts', import.meta.url));
const DAY = 86_400_000;
const KEYS = 1_000;
const STEPS = [30, 7, 1];

const directory = mkdtempSync(join(tmpdir(), 'keyward-expiry-'));
/** A node in one file: the test starts 600 nodes, and a bundle starts in a seventh of the CPU time. */
const program = join(directory, 'node.mjs');

let cluster: TestCluster;
beforeAll(async () => {
  const bundle = await rolldown({ input: CHILD, platform: 'node', external: ['pg-native'] });
  await bundle.write({ file: program, codeSplitting: false });
  cluster = await startCluster({ nodes: 1 });
  await storeEvents(cluster.nodes[0]!.client);
});
afterAll(async () => {
  await cluster?.dispose();
  rmSync(directory, { recursive: true });
});

/** Keys that all expire at the same time. */
async function importKeys(round: number, expiresAt: number): Promise<void> {
  const keys = Array.from({ length: KEYS }, (_, n) => ({
    name: `Key ${n}`,
    projectId: cluster.projectId,
    key: `an-imported-key-${round}-${n}`,
    expiry: new Date(expiresAt).toISOString(),
  }));
  const answer = await cluster.nodes[0]!.client.post('/api-keys/import', { keys });
  expect(answer.status, answer.text).toBeLessThan(300);
}

const startNode = async (now: number): Promise<ChildProcess> => {
  const child = fork(program, [cluster.database.url, String(now)], { stdio: 'inherit' });
  await once(child, 'message');
  return child;
};

const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** The number of keys that are due in the schedule of notices. */
async function dueAt(now: number): Promise<number> {
  const rows = await cluster.nodes[0]!.storage.read.selectFrom('expiry_schedule')
    .select('key_seq')
    .where('due_at', '<=', now)
    .execute();
  return rows.length;
}

/** The number of notices of each type about keys that expire at this time. */
async function noticesOf(expiresAt: number): Promise<Map<string, number>> {
  const time = new Date(expiresAt).toISOString();
  const rows = await cluster.nodes[0]!.storage.read.selectFrom('events')
    .select(['type', 'data'])
    .where('type', 'in', ['api-key.expiring', 'api-key.expired'])
    .where('data', 'like', `%"expiresAt":"${time}"%`)
    .execute();
  const counts = new Map<string, number>();
  for (const { type, data } of rows) {
    const { id, daysLeft } = JSON.parse(data);
    const name = `${type} ${daysLeft ?? ''} ${id}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

it(
  'writes each expiry notice exactly once over three nodes that are killed',
  async () => {
    const random = new SeededRandom(runSeed());
    let kills = 0;
    const done = await rounds({ full: 50, quick: 3, atLeast: 1 }, async (round) => {
      const expiresAt = Date.now() + (100 + round) * DAY;
      await importKeys(round, expiresAt);
      for (const days of [...STEPS, 0]) {
        const now = expiresAt - days * DAY;
        const nodes = await Promise.all([now, now, now].map(startNode));
        await sleep(random.below(150));
        for (const node of nodes.slice(1)) {
          await sleep(random.below(60));
          await kill(node);
          kills++;
        }
        // The remaining node finishes what the others began.
        await expect.poll(() => dueAt(now), { timeout: timeoutMs, interval: 20 }).toBe(0);
        await kill(nodes[0]!);
      }
      const counts = await noticesOf(expiresAt);
      expect(counts.size).toBe(KEYS * (STEPS.length + 1));
      expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
    });
    console.log(
      `      ${done} rounds, ${figure(kills)} kills: ${figure(done * KEYS * 4)} notices, each once`,
    );
  },
  timeoutMs,
);
