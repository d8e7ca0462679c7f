import type { ChildProcess } from 'node:child_process';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { SERVER_CORE, startChild, stopChild } from './children.ts';

export const ACCESS_KEY = 'bench-access-key-0123456789';
/** Fixed, so that seeding can hash as the server does. */
export const ROOT_SECRET = 'bench-root-secret-bench-root-secret-0123456789';

const COMMAND = fileURLToPath(new URL('../server/bin/keyward.mjs', import.meta.url));
const READY_WITHIN_MS = 60_000;

export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  /** From the start of the process to the first 200 of /readyz. */
  readonly readyAfterMs: number;
  stop(): Promise<void>;
  /** Without a word, as a power cut of the process would. */
  kill(): Promise<void>;
}

interface StartOptions {
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** null: all cores. */
  readonly core?: number | null;
}

/** Starts the real server as its users do, on free ports, with one thread and on its own core. */
export async function startServer(
  dataDirectory: string,
  { nodeFlags = [], env = {}, core = SERVER_CORE }: StartOptions = {},
): Promise<RunningServer> {
  const [port, metricsPort] = await freePorts();
  const startedAt = performance.now();
  const child = startChild(process.execPath, [...nodeFlags, COMMAND, 'serve'], {
    core,
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      KEYWARD_DATA_DIR: dataDirectory,
      KEYWARD_SECRET: ROOT_SECRET,
      KEYWARD_BOOTSTRAP_ACCESS_KEY: ACCESS_KEY,
      KEYWARD_METRICS_PORT: String(metricsPort),
      KEYWARD_LOG_LEVEL: 'warn',
      ...env,
    },
  });
  child.stdout?.resume();
  await ready(child, port);
  const readyAfterMs = performance.now() - startedAt;
  return {
    port,
    pid: child.pid!,
    readyAfterMs,
    stop: () => stopChild(child),
    kill: () => stopChild(child, 'SIGKILL'),
  };
}

async function ready(child: ChildProcess, port: number): Promise<void> {
  const giveUpAt = performance.now() + READY_WITHIN_MS;
  while ((await statusOf(port, '/readyz')) !== 200) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    if (performance.now() > giveUpAt) throw new Error('The server did not become ready in time.');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** 0 while nobody listens. */
function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.once('error', () => resolve(0));
    asked.end();
  });
}

/** Both held until both are known, so that they differ. */
export async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return [ports[0]!, ports[1]!];
}
