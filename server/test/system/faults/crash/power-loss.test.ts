import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ChildServer, startServer } from '../../../harness/child-server.ts';
import { figure, isFull, rounds, timeoutMs } from '../../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../../harness/seeded-random.ts';
import { LoopImage, requireLoopImages } from './loop-image.ts';
import { WriteLedger } from './write-ledger.ts';

const ROUNDS = { full: 50, quick: 3, atLeast: 2 };
const CONTROL_ROUNDS = 5;
const WRITES_MAX = 500;
const UNSAFE = fileURLToPath(new URL('./serve-unsafe.child.ts', import.meta.url));

const parent = mkdtempSync(join(tmpdir(), 'keyward-power-'));
const images = new Set<LoopImage>();
const servers = new Set<ChildServer>();
const random = new SeededRandom(runSeed());
let names = 0;

beforeAll(requireLoopImages);
afterEach(async () => {
  for (const server of servers) await kill(server);
  for (const image of images) image.remove();
  images.clear();
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function start(image: LoopImage, entry?: string): Promise<ChildServer> {
  const server = await startServer({
    dataDir: join(image.mountPoint, 'data'),
    env: { KEYWARD_MANAGEMENT_LIMIT: '1000000000', KEYWARD_LOG_LEVEL: 'error' },
    ...(entry !== undefined && { entry }),
  });
  servers.add(server);
  return server;
}

async function kill(server: ChildServer): Promise<void> {
  await server.end('SIGKILL');
  servers.delete(server);
}

/** A disk on which the service has started once and stopped gracefully. */
async function installedImage(): Promise<LoopImage> {
  const image = LoopImage.make(parent, `disk-${names++}`).mount();
  images.add(image);
  const server = await start(image);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  servers.delete(server);
  // Everything so far is synced: only writes of the load can be lost.
  image.unmount();
  return image.mount();
}

/** Writes for a while, simulates a power cut, and returns the resulting disk. */
async function cutPower(
  server: ChildServer,
  image: LoopImage,
  ledger: WriteLedger,
): Promise<LoopImage> {
  const writersStopped = ledger.hammer(server.url);
  await ledger.untilAcknowledged(10 + random.below(WRITES_MAX));
  server.process.kill('SIGSTOP');
  while (!isStopped(server.process.pid!)) await new Promise((resolve) => setImmediate(resolve));
  const left = image.copy(parent, `disk-${names++}`);
  images.add(left);
  // Responses sent before the stop still arrive and count; then the connections break.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await kill(server);
  await writersStopped();
  image.remove();
  images.delete(image);
  return left.mount();
}

/** Whether every thread is stopped: a thread in a sync stops only after the sync. */
function isStopped(pid: number): boolean {
  const tasks = readdirSync(`/proc/${pid}/task`);
  try {
    return tasks.every((task) =>
      /^State:\s+T/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8')),
    );
  } catch {
    // A thread ended between the two reads.
    return false;
  }
}

it(
  'no acknowledged write is lost when the power goes',
  async () => {
    const ledger = new WriteLedger(random);
    let image = await installedImage();
    let server = await start(image);
    const done = await rounds(ROUNDS, async () => {
      image = await cutPower(server, image, ledger);
      server = await start(image);
      expect(await ledger.lostOn(server.url)).toEqual([]);
    });
    console.log(
      `power loss: ${done} rounds, ${figure(ledger.acknowledged)} acknowledged writes, 0 lost`,
    );
    expect(ledger.acknowledged).toBeGreaterThanOrEqual(done);
  },
  timeoutMs,
);

it(
  'negative control: without syncs, acknowledged writes are lost',
  async () => {
    let losses = 0;
    let acknowledged = 0;
    let rounds = 0;
    while (rounds < CONTROL_ROUNDS && (isFull || losses === 0)) {
      rounds++;
      const ledger = new WriteLedger(random);
      const image = await installedImage();
      const server = await start(image, UNSAFE);
      const left = await cutPower(server, image, ledger);
      acknowledged += ledger.acknowledged;
      const recovered = await start(left);
      losses += (await ledger.lostOn(recovered.url)).length;
      await kill(recovered);
    }
    console.log(
      `power loss, control without syncs: ${rounds} of up to ${CONTROL_ROUNDS} rounds, ${figure(acknowledged)} acknowledged writes, ${figure(losses)} keys lost`,
    );
    expect(losses).toBeGreaterThan(0);
  },
  timeoutMs,
);
