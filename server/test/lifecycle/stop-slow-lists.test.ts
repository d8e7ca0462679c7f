// 5 s of CPU: server processes with lists that run until they are stopped.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../harness/child-server.ts';
import { freePort } from '../harness/free-port.ts';

const ENTRY = fileURLToPath(new URL('./serve-slow-lists.child.ts', import.meta.url));

let dataDir: string;
let server: ChildServer;
let metrics: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'keyward-stop-'));
  const port = String(await freePort());
  metrics = `http://127.0.0.1:${port}/metrics`;
  const env = { KEYWARD_METRICS_PORT: port, KEYWARD_BOOTSTRAP_ACCESS_KEY: BOOTSTRAP_KEY };
  server = await startServer({ dataDir, env, entry: ENTRY });
});
afterEach(async () => {
  await server.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** Starts a list that never ends, and another one whose client reads nothing. */
async function startLists(): Promise<void> {
  const { hostname, port } = new URL(server.url);
  for (const path of ['/leaks', '/leaks', '/projects']) {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${BOOTSTRAP_KEY}\r\n\r\n`);
  }
  const running = async () => (await fetch(metrics)).text();
  await expect.poll(running).toContain('keyward_database_reads_running{lane="request"} 1');
}

const readers = (): string =>
  execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dataDir) && line.includes('reader-main') && !/^Z/.test(line))
    .join('\n');

it('stops within its deadline although lists run, and with code 0', async () => {
  await startLists();
  // It would exit with 1 at the deadline.
  expect(await server.end('SIGTERM'), server.stderr).toEqual({ code: 0, signal: null });
  expect(readers()).toBe('');
});

it('leaves no reader behind when it is killed during a list', async () => {
  await startLists();
  expect(readers()).not.toBe('');
  await server.end('SIGKILL');
  await expect.poll(readers).toBe('');
});
