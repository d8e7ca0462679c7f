import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { verifyChain } from '../../../../src/features/audit/index.ts';
import { deriveSecrets } from '../../../../src/kernel/secrets/crypto.ts';
import { openReadOnly } from '../../../../src/storage/files/read-only.ts';
import { figure, rounds, timeoutMs } from '../../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../../harness/seeded-random.ts';
import { ServerProcess } from './server-process.ts';

/**
 * Repeated kill -9 at random moments under load. A seal in progress is either in the chain or is
 * written after the next start. Every acknowledged change has its row. A graceful stop leaves no
 * unsealed rows.
 */
const ROUNDS = { full: 100, quick: 3, atLeast: 2 };
const CLIENTS = 8;

const directory = mkdtempSync(join(tmpdir(), 'keyward-audit-crash-'));
afterAll(() => rmSync(directory, { recursive: true }));

async function verifyLog(): Promise<{ proven: number; unsealed: number; targets: Set<string> }> {
  const secrets = deriveSecrets(readFileSync(join(directory, 'secret'), 'utf8').trim());
  const { db, close } = openReadOnly(join(directory, 'keyward.db'));
  try {
    const report = await verifyChain(db, secrets.hashAuditLink);
    expect(report.broken).toBeNull();
    const rows = await db.selectFrom('audit_log').select('target_id').execute();
    expect(report.proven + report.unsealed.count).toBe(rows.length);
    return {
      proven: report.proven,
      unsealed: report.unsealed.count,
      targets: new Set(rows.map(({ target_id }) => target_id)),
    };
  } finally {
    close();
  }
}

/** Creates keys until the connection fails; collects the acknowledged ids. */
async function load(server: ServerProcess, created: string[]): Promise<void> {
  for (;;) {
    const response = await server.call('POST', '/api-keys', { name: 'Load' }).catch(() => null);
    if (response === null) return;
    // A storage timeout: the key may or may not have been created.
    if (response.status === 503) continue;
    if (response.status !== 201) throw new Error(`The server answered ${response.status}.`);
    created.push(String((response.body as { id: string }).id));
  }
}

it(
  'the chain holds through crashes, and nothing acknowledged is missing',
  async () => {
    const seed = runSeed();
    const random = new SeededRandom(seed);
    const server = await ServerProcess.on(directory);
    const created: string[] = [];
    let unsealedAtCrash = 0;
    const loadUntil = async (signal: 'SIGKILL' | 'SIGTERM', ms: number) => {
      server.spawn();
      await server.ready();
      const before = created.length;
      const clients = Array.from({ length: CLIENTS }, () => load(server, created));
      await expect.poll(() => created.length, { interval: 5 }).toBeGreaterThan(before + CLIENTS);
      await sleep(ms);
      await server.end(signal);
      await Promise.all(clients);
    };
    const crash = async () => {
      await loadUntil('SIGKILL', random.below(1_200));
      const { unsealed, targets } = await verifyLog();
      unsealedAtCrash += unsealed;
      expect(created.filter((id) => !targets.has(id))).toEqual([]);
    };
    let crashes = await rounds(ROUNDS, crash);
    // The test is only meaningful if a crash falls between a row and its seal.
    for (; unsealedAtCrash === 0; crashes++) await crash();
    await loadUntil('SIGTERM', 0);
    const last = await verifyLog();
    expect(last.unsealed).toBe(0);
    expect(created.filter((id) => !last.targets.has(id))).toEqual([]);
    console.log(
      `${figure(created.length)} keys created through ${figure(crashes)} crashes, ${figure(unsealedAtCrash)} rows unsealed at a crash, ${figure(last.proven)} rows proven at the end (seed ${seed})`,
    );
  },
  timeoutMs,
);
