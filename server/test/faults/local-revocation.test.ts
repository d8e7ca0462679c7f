import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { LocalKeyward } from '../../../sdk/src/local/index.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { createTestClient } from '../harness/test-client.ts';
import { BOOTSTRAP_KEY, startServer } from '../lifecycle/child-server.ts';
import { FaultyLink } from './faulty-link.ts';
import { rounds, scaled, timeoutMs } from './scale.ts';
import { runSeed, SeededRandom } from './seeded-random.ts';

const AT_ONCE = scaled(10, 7);
const ROUNDS = { full: 100, quick: 3, atLeast: 1 };
/**
 * What is promised, counted from the answer to the revocation. A slow machine cannot break it: both
 * moments are taken here, acceptance when it is asked for and revocation when its answer is read, and
 * a client that hears nothing in time trusts its memory for less long, not for longer.
 */
const BOUND_MS = 1_000;
const WATCHED_MS = 2_500;

let app: TestApp;
/** How far the clock on the wall has been set, for client and server alike. */
let wallOffset = 0;
beforeAll(async () => {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + wallOffset);
  app = await startTestApp({ realClock: true });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await app.close();
});

const FAULTS = ['none', 'cut', 'half-open', 'delayed', 'reset', 'clock', 'cut and back'] as const;

/** One key, one client, one fault around the moment of its revocation; how late it was accepted. */
async function revoke(fault: (typeof FAULTS)[number], random: SeededRandom): Promise<number> {
  const link = await FaultyLink.open(Number(new URL(app.url).port));
  const local = new LocalKeyward({
    url: link.url,
    accessKey: app.accessKey,
    onUnavailable: 'deny',
    timeoutMs: 60_000,
    retries: 0,
  });
  try {
    await local.ready;
    const { key, id } = (
      await app.client.post('/api-keys', { name: 'Key', projectId: app.projectId })
    ).body;
    await learn(local, key);
    const before = random.next() * 1_200;
    const begins = (async () => {
      await sleep(before);
      begin(fault, link, random);
    })();
    await sleep(random.next() * 1_200);
    await app.client.delete(`/api-keys/${id}`);
    const revokedAt = performance.now();
    const lastAt = await lastAccepted(local, key, revokedAt);
    await begins;
    return lastAt - revokedAt;
  } finally {
    link.fault = 'none';
    link.cutAll();
    await local.close();
    await link.close();
  }
}

/** Asks until the answer comes from memory. */
async function learn(local: LocalKeyward, key: string): Promise<void> {
  for (;;) {
    const result = local.validate(key);
    if (!(result instanceof Promise)) return;
    await result.catch(() => {});
    await sleep(20);
  }
}

function begin(fault: (typeof FAULTS)[number], link: FaultyLink, random: SeededRandom): void {
  if (fault === 'cut' || fault === 'cut and back') {
    link.fault = 'cut';
    link.cutAll();
    if (fault === 'cut and back')
      setTimeout(() => {
        link.fault = 'none';
      }, random.next() * 500);
  } else if (fault === 'half-open' || fault === 'delayed') {
    link.fault = fault;
    link.delayMs = 300 + random.next() * 3_000;
  } else if (fault === 'reset') {
    app.app.bus.publish([{ kind: 'everything' }]);
  } else if (fault === 'clock') {
    wallOffset += (random.next() - 0.5) * 7_200_000;
  }
}

/** Asks all the time, also while other questions are under way, as a busy API does. */
async function lastAccepted(local: LocalKeyward, key: string, from: number): Promise<number> {
  let lastAt = Number.NEGATIVE_INFINITY;
  const waiting = new Set<Promise<unknown>>();
  while (performance.now() - from < WATCHED_MS) {
    const asked = performance.now();
    const result = local.validate(key);
    if (!(result instanceof Promise)) {
      if (result.allowed) lastAt = Math.max(lastAt, asked);
    } else if (waiting.size < 20) {
      // What the server itself says is the server's business: it is up to date when it says it.
      const watched = result.then(
        () => {},
        () => {},
      );
      waiting.add(watched);
      void watched.then(() => waiting.delete(watched));
    }
    await sleep(3);
  }
  return lastAt;
}

it('a revoked key is rejected within the promised time, whatever happens to the connection', {
  timeout: timeoutMs,
}, async () => {
  const seed = runSeed();
  const random = new SeededRandom(seed);
  const latest: Record<string, number> = {};
  let keys = 0;
  const revokeSome = async () => {
    const faults = Array.from({ length: AT_ONCE }, () => FAULTS[keys++ % FAULTS.length]!);
    const late = await Promise.all(faults.map((fault) => revoke(fault, random)));
    for (const [n, fault] of faults.entries()) {
      latest[fault] = Math.max(latest[fault] ?? Number.NEGATIVE_INFINITY, late[n]!);
      expect(late[n]!, `${fault}, seed ${seed}`).toBeLessThanOrEqual(BOUND_MS);
    }
  };
  await rounds(ROUNDS, revokeSome);
  // The test must have been able to see it: where nothing is heard, memory is trusted for a while.
  const isSeen = () => Math.max(latest['half-open'] ?? 0, latest.cut ?? 0, latest.delayed ?? 0) > 0;
  while (!isSeen()) await revokeSome();
  console.log(`${keys} keys revoked; latest acceptance after the answer, ms:`, latest);
});

it('also when the server is killed and restarted', { timeout: timeoutMs }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyward-local-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  let server = await startServer({ dataDir });
  const link = await FaultyLink.open(Number(new URL(server.url).port));
  const options = { url: link.url, accessKey: BOOTSTRAP_KEY, onUnavailable: 'deny' } as const;
  const local = new LocalKeyward({ ...options, timeoutMs: 60_000, retries: 0 });
  try {
    await local.ready;
    for (let n = 0; n < scaled(20, 1); n++) {
      const client = createTestClient(server.url, BOOTSTRAP_KEY);
      const { key, id } = (await client.post('/api-keys', { name: 'Key' })).body;
      await learn(local, key);
      await client.delete(`/api-keys/${id}`);
      const revokedAt = performance.now();
      await server.end('SIGKILL');
      const restarting = startServer({ dataDir }).then((next) => {
        server = next;
        link.target = Number(new URL(next.url).port);
      });
      const lastAt = await lastAccepted(local, key, revokedAt);
      expect(lastAt - revokedAt).toBeLessThanOrEqual(BOUND_MS);
      await restarting;
      while ((await local.validate(key)).valid === null) await sleep(50);
      expect(await local.validate(key)).toMatchObject({ code: 'key_revoked' });
    }
  } finally {
    await local.close();
    await link.close();
    await server.end('SIGTERM');
  }
});
