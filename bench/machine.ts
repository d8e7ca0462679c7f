import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { isPinned } from './children.ts';
import { loadGenerator } from './load/index.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly load: string;
  readonly isPinned: boolean;
  /** How busy it was before the run began: the figures of a machine at work are worth less. */
  readonly loadAverage: number;
}

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  kernel: release(),
  node: process.version,
  load: loadGenerator().name,
  isPinned,
  loadAverage: Math.round(loadavg()[0]! * 10) / 10,
});

export const machineText = (about: Machine): string =>
  [
    about.cpu,
    `${about.cores} cores`,
    `${about.memoryGb} GB`,
    `Linux ${about.kernel}`,
    `Node ${about.node}`,
    `load by ${about.load}`,
    about.isPinned ? 'server and load on a core each' : 'cores not pinned',
    `load average before the run ${about.loadAverage}`,
  ].join(', ');

/** The commit that is measured, and whether files differ from it. */
export function commit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--', '..', ':!../docs', ':!../README.md') !== '';
    return git('rev-parse', '--short=10', 'HEAD') + (changed ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
}
