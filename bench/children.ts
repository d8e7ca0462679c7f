import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from '../scripts/test-tools.ts';

/** The server works on one core and the load comes from another, where the machine has both. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const taskset = cpus().length > 1 ? findOnPath(['taskset']) : null;

/** Whether server and load have a core each. */
export const isPinned = taskset !== null;

const running = new Set<ChildProcess>();
const folders = new Set<string>();

export interface SpawnOptions {
  /** null: wherever the machine puts it. */
  readonly core: number | null;
  /** Whether it reads what it is told. */
  readonly talks?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** A child on a core of its own. It does not outlive the benchmark, however that ends. */
export function startChild(
  command: string,
  args: readonly string[],
  { core, env, talks = false }: SpawnOptions,
): ChildProcess {
  const [program, programArgs] =
    taskset === null || core === null
      ? [command, args]
      : [taskset, ['-c', String(core), command, ...args]];
  const child = spawn(program, programArgs, {
    env: { ...process.env, ...env },
    stdio: [talks ? 'pipe' : 'ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Puts a process that runs already, and all that it starts from then on, on a core. */
export function pin(pid: number, core: number): void {
  if (taskset !== null) execFileSync(taskset, ['-acp', String(core), String(pid)]);
}

/** Runs a child to its end and returns what it printed. */
export function runChild(
  command: string,
  args: readonly string[],
  { interruptAfterMs, ...options }: SpawnOptions & { interruptAfterMs?: number | undefined },
): Promise<string> {
  const child = startChild(command, args, options);
  if (interruptAfterMs !== undefined) setTimeout(() => child.kill('SIGINT'), interruptAfterMs);
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`${command} ended with ${code}:\n${printed}`));
    });
  });
}

/** Asks a child to end and waits until it has. */
export async function stopChild(
  child: ChildProcess,
  signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  const patience = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended;
  clearTimeout(patience);
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-bench-'));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

function cleanUp(): void {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

process.once('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(130));
}
