import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findOnPath } from '../scripts/test-tools.ts';

/** Servers run on one core and the load generator on another, if the machine has two. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const taskset = cpus().length > 1 ? findOnPath(['taskset']) : null;
export const isPinned = taskset !== null;

const running = new Set<ChildProcess>();
const folders = new Set<string>();
const keptFolders = new Set<string>();

export interface StartOptions {
  /** null: the scheduler decides. */
  readonly core: number | null;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a child process that is killed when the benchmark exits. */
export function startProcess(
  command: string,
  args: readonly string[],
  { core, env }: StartOptions,
): ChildProcess {
  const pinned = taskset !== null && core !== null;
  const child = spawn(
    pinned ? taskset : command,
    pinned ? ['-c', String(core), command, ...args] : args,
    { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Moves a running process to a core. */
export function pin(pid: number, core: number): void {
  if (taskset !== null) execFileSync(taskset, ['-acp', String(core), String(pid)]);
}

/** Runs a process to its end and returns its standard output. */
export async function runProcess(
  command: string,
  args: readonly string[],
  { interruptAfterMs, ...options }: StartOptions & { interruptAfterMs?: number },
): Promise<string> {
  const child = startProcess(command, args, options);
  if (interruptAfterMs !== undefined) setTimeout(() => child.kill('SIGINT'), interruptAfterMs);
  let output = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} exited with ${code}:\n${output}`);
  return output;
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timeout = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exited;
  clearTimeout(timeout);
}

/** A process that answers each line on its standard input with one line of JSON. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(args: readonly string[], core: number) {
    this.#child = startProcess(process.execPath, args, { core });
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async request<T>(line: string): Promise<T> {
    this.#child.stdin!.write(`${line}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('A worker process exited without an answer.');
    return JSON.parse(value as string) as T;
  }
}

/** A temporary folder for the current scenario, or for the whole run. */
export function createFolder(lifetime: 'scenario' | 'run' = 'scenario'): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-bench-'));
  (lifetime === 'run' ? keptFolders : folders).add(folder);
  return folder;
}

/** Ends what a scenario has started and removes its folders, so that scenarios need not. */
export async function cleanUp(): Promise<void> {
  const exits = [...running].map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(exits);
  removeFolders(folders);
}

function removeFolders(those: Set<string>): void {
  for (const folder of those) rmSync(folder, { recursive: true, force: true });
  those.clear();
}

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  removeFolders(folders);
  removeFolders(keptFolders);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** Two different ports: both sockets are open until both numbers are known. */
export async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports = servers.map(
    (server) =>
      new Promise<number>((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
      }),
  );
  const found = (await Promise.all(ports)) as [number, number];
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return found;
}

/** CPU time of all threads. From schedstat, because the ticks in `stat` are 10 ms long. */
export function cpuMicros(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      return sum + Number(stat.split(' ', 1)[0]) / 1000;
    } catch {
      return sum; // The thread has exited since the folder was read.
    }
  }, 0);
}

export function rssMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) / 1024;
}
