import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { verifyChain } from '../../src/features/audit/index.ts';
import { deriveSecrets } from '../../src/kernel/crypto.ts';
import { openReadOnly } from '../../src/storage/files/read-only.ts';
import { figure, rounds, timeoutMs } from './scale.ts';
import { runSeed, SeededRandom } from './seeded-random.ts';
import { ServerProcess } from './webhook-server-process.ts';

/**
 * kill -9 at a random moment of load, again and again. What the sealer had under way is either in
 * the chain or waits for the next start; whatever was acknowledged has its row; a server that is
 * stopped in order leaves none unsealed.
 */
const ROUNDS = { full: 100, quick: 3, atLeast: 2 };
const CLIENTS = 8;

const directory = mkdtempSync(join(tmpdir(), 'keyward-audit-crash-'));
afterAll(() => rmSync(directory, { recursive: true }));

async function provenAfter(): Promise<{ proven: number; unsealed: number; targets: Set<string> }> {
  const secrets = deriveSecrets(readFileSync(join(directory, 'secret'), 'utf8').trim());
  const { db, close } = openReadOnly(join(directory, 'keyward.db'));
  try {
    const verdict = await verifyChain(db, secrets.chainAudit, { engine: 'sqlite' });
    expect(verdict.broken).toBeNull();
    const rows = await db.selectFrom('audit_log').select('target_id').execute();
    expect(verdict.proven + verdict.unsealed.count).toBe(rows.length);
    return {
      proven: verdict.proven,
      unsealed: verdict.unsealed.count,
      targets: new Set(rows.map(({ target_id }) => target_id)),
    };
  } finally {
    close();
  }
}

/** Creates keys until the server is gone; collects the ids that it acknowledged. */
async function load(server: ServerProcess, made: string[]): Promise<void> {
  for (;;) {
    const answer = await server.call('POST', '/api-keys', { name: 'Load' }).catch(() => null);
    if (answer === null) return;
    // Storage that was too slow: nobody knows whether the key was made.
    if (answer.status === 503) continue;
    if (answer.status !== 201) throw new Error(`The server answered ${answer.status}.`);
    made.push(String((answer.body as { id: string }).id));
  }
}

it(
  'the chain holds through crashes, and nothing acknowledged is missing',
  async () => {
    const seed = runSeed();
    const random = new SeededRandom(seed);
    const server = await ServerProcess.on(directory);
    const made: string[] = [];
    let unsealedAtCrash = 0;
    const loadUntil = async (signal: 'SIGKILL' | 'SIGTERM', ms: number) => {
      server.spawn();
      await server.ready();
      const before = made.length;
      const clients = Array.from({ length: CLIENTS }, () => load(server, made));
      await expect.poll(() => made.length, { interval: 5 }).toBeGreaterThan(before + CLIENTS);
      await sleep(ms);
      await server.end(signal);
      await Promise.all(clients);
    };
    const crash = async () => {
      await loadUntil('SIGKILL', random.below(1_200));
      const { unsealed, targets } = await provenAfter();
      unsealedAtCrash += unsealed;
      expect(made.filter((id) => !targets.has(id))).toEqual([]);
    };
    let crashes = await rounds(ROUNDS, crash);
    // Crashes must fall between rows and their seals, else this shows nothing.
    for (; unsealedAtCrash === 0; crashes++) await crash();
    await loadUntil('SIGTERM', 0);
    const last = await provenAfter();
    expect(last.unsealed).toBe(0);
    expect(made.filter((id) => !last.targets.has(id))).toEqual([]);
    console.log(
      `${figure(made.length)} keys made through ${figure(crashes)} crashes, ${figure(unsealedAtCrash)} rows unsealed at a crash, ${figure(last.proven)} rows proven at the end (seed ${seed})`,
    );
  },
  timeoutMs,
);
