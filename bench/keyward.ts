import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuMicros, freePorts, SERVER_CORE, startProcess, stopProcess } from './processes.ts';

export const ACCESS_KEY = 'bench-access-key-0123456789';
/** Fixed, so that seeded keys have the hashes that the server computes. */
export const ROOT_SECRET = 'bench-root-secret-bench-root-secret-0123456789';

const COMMAND = fileURLToPath(new URL('../server/bin/keyward.mjs', import.meta.url));
const SOURCE = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
const READY_TIMEOUT_MS = 600_000;

export interface Keyward {
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  readonly readyAfterMs: number;
  readonly cpuMsUntilReady: number;
  request(method: string, path: string, body?: object): Promise<Response>;
  stop(): Promise<void>;
}

interface KeywardOptions {
  readonly nodeFlags?: readonly string[];
  /** Runs the sources instead of the bundle, so that `--import` can change their classes. */
  readonly fromSource?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly core?: number | null;
  /** The root of another checkout, to compare with. */
  readonly checkout?: string;
}

/** Starts the service as users do, on free ports, with a data directory. */
export async function startKeyward(
  folder: string,
  {
    nodeFlags = [],
    fromSource = false,
    env = {},
    core = SERVER_CORE,
    checkout,
  }: KeywardOptions = {},
): Promise<Keyward> {
  const [port, metricsPort] = await freePorts();
  const startedAt = performance.now();
  const child = startProcess(
    process.execPath,
    [
      ...nodeFlags,
      checkout ? join(checkout, 'server/bin/keyward.mjs') : fromSource ? SOURCE : COMMAND,
      'serve',
    ],
    {
      core,
      env: {
        PORT: String(port),
        HOST: '127.0.0.1',
        KEYWARD_DATA_DIR: folder,
        KEYWARD_SECRET: ROOT_SECRET,
        KEYWARD_BOOTSTRAP_ACCESS_KEY: ACCESS_KEY,
        KEYWARD_METRICS_PORT: String(metricsPort),
        KEYWARD_DRAIN_SECONDS: '0',
        KEYWARD_MANAGEMENT_LIMIT: '1000000000',
        KEYWARD_LOG_LEVEL: 'warn',
        ...env,
      },
    },
  );
  child.stdout?.resume();
  const pid = child.pid!;
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, url);
  return {
    port,
    pid,
    folder,
    readyAfterMs: performance.now() - startedAt,
    cpuMsUntilReady: cpuMicros(pid) / 1000,
    request: (method, path, body) => request(url, method, path, body),
    stop: () => stopProcess(child),
  };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    if (child.exitCode !== null) throw new Error(`Keyward exited with ${child.exitCode}.`);
    if (performance.now() > deadline) throw new Error('Keyward was not ready in time.');
    await sleep(5);
  }
}

async function request(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  const response = await fetch(url + path, {
    method,
    headers: { 'x-api-key': ACCESS_KEY, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  // Read here, so that the connection can be used again even if nobody wants the body.
  const text = await response.text();
  return new Response(text, { status: response.status, headers: response.headers });
}
