import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keyward } from 'keyward';
import { expect, onTestFinished } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../../../harness/child-server.ts';
import { CALL_TIMEOUT_MS } from '../../../harness/long-timeouts.ts';
import { figure } from '../../../harness/scale.ts';

/** How long the server is stopped. */
const STOPPED_MS = 6_000;
/** Time between the end of a request of the application and its next one. */
const PAUSE_MS = 10;

/** What an application got for its request: `null` if the key could not be validated. */
export type Ask = () => Promise<boolean | null>;

/** A server that a test can stop with SIGSTOP: it accepts connections, and never responds. */
export interface StoppableServer {
  readonly url: string;
  readonly accessKey: string;
  readonly key: string;
  stop(): void;
  continue(): void;
}

/** A real server in a process of its own, with a key. */
export async function startStoppableServer(): Promise<StoppableServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyward-stopped-'));
  let server: ChildServer | undefined;
  onTestFinished(async () => {
    await server?.end('SIGKILL');
    rmSync(dataDir, { recursive: true });
  });
  server = await startServer({ dataDir });
  const accessKey = BOOTSTRAP_KEY;
  const admin = new Keyward({ url: server.url, accessKey, timeoutMs: CALL_TIMEOUT_MS });
  const { key } = await admin.apiKeys.create({ name: 'Ada' });
  const pid = server.process.pid!;
  return {
    url: server.url,
    accessKey,
    key,
    stop: () => process.kill(pid, 'SIGSTOP'),
    continue: () => process.kill(pid, 'SIGCONT'),
  };
}

export interface Stop {
  /** Durations of the requests while the server was stopped, longest first. */
  readonly durationsMs: readonly number[];
  readonly served: number;
  /** From SIGCONT to the first valid result. */
  readonly recoveryMs: number;
}

/** Sends one request after the other while the server is stopped, and then until one is valid. */
export async function measureStop(server: StoppableServer, name: string, ask: Ask): Promise<Stop> {
  // The first requests open connections and cache the key.
  for (let valid = 0; valid < 20; await sleep(PAUSE_MS)) valid = (await ask()) ? valid + 1 : 0;
  server.stop();
  const durationsMs: number[] = [];
  let served = 0;
  const stoppedAt = performance.now();
  while (performance.now() - stoppedAt < STOPPED_MS) {
    const askedAt = performance.now();
    if (await ask()) served++;
    durationsMs.push(performance.now() - askedAt);
    await sleep(PAUSE_MS);
  }
  server.continue();
  const continuedAt = performance.now();
  await expect.poll(ask, { interval: PAUSE_MS }).toBe(true);
  const recoveryMs = performance.now() - continuedAt;
  durationsMs.sort((a, b) => b - a);
  const [longest, second] = durationsMs;
  const ms = (value: number | undefined): string => figure(Math.round((value ?? 0) * 10) / 10);
  console.log(
    `${name}: ${durationsMs.length} requests in ${STOPPED_MS / 1000} s, ${served} served; longest ${ms(longest)} ms, second ${ms(second)} ms, median ${ms(durationsMs[durationsMs.length >> 1])} ms; valid again after ${ms(recoveryMs)} ms`,
  );
  return { durationsMs, served, recoveryMs };
}

/**
 * At most one request waited for the timeout. Twice, because a slow machine can hold up another one for as long.
 * Without a breaker, each one would wait.
 */
export function expectOneWait({ durationsMs }: Stop, timeoutMs: number): void {
  expect(durationsMs.filter((ms) => ms > 0.9 * timeoutMs).length).toBeLessThanOrEqual(2);
  expect(durationsMs[0]).toBeLessThan(4 * timeoutMs);
  expect(durationsMs.length).toBeGreaterThan(STOPPED_MS / timeoutMs + 4);
}
