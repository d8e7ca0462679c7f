import { type ChildProcess, spawn } from 'node:child_process';
import { isSea } from 'node:sea';
import { destination, pino } from 'pino';
import { DRAIN_MESSAGE, onStop } from '../app/stop.ts';
import { ask, PROCESS_NUMBER, respond } from './process-messages.ts';
import type { EdgeSettings } from './settings.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;
/** A process that ran this long is restarted after the shortest wait. */
const STABLE_MS = 30_000;
/** A scrape omits the metrics of a process that takes longer. */
const METRICS_TIMEOUT_MS = 5_000;

/**
 * Runs several edges that share a port, each with leases of its own.
 *
 * running → ended (a crash, or a failed start) → waiting (each time longer, until one runs for 30 s) →
 * running
 */
export function superviseEdges(settings: EdgeSettings, argv: readonly string[]): void {
  const log = pino({ level: settings.logLevel, base: { pid: process.pid } }, destination(2));
  const children = new Set<ChildProcess>();
  let isStopping = false;
  let onLastExit = () => {};

  function start(number: number, waitMs: number): void {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [...ownArguments(), ...argv], {
      // A child stops when its standard input ends, which also happens if this process is killed.
      stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
      // JSON has no `Infinity`, which a metric may be.
      serialization: 'advanced',
      env: { ...process.env, [PROCESS_NUMBER]: String(number) },
    });
    children.add(child);
    // The process that is scraped asks for the metrics of the others.
    respond(child, () => {
      const others = [...children].filter((other) => other !== child);
      return Promise.all(others.map((other) => ask(other, METRICS_TIMEOUT_MS)));
    });
    // A process that could not be started emits no `exit`. Only the message is logged: the error contains
    // the arguments, and so the access key.
    child.on('error', ({ message }) => ended({ reason: message }));
    child.once('exit', (code, signal) => ended({ child: child.pid, code, signal }));

    function ended(details: object): void {
      if (!children.delete(child)) return;
      if (isStopping) {
        if (children.size === 0) onLastExit();
        return;
      }
      const restartInMs = performance.now() - startedAt > STABLE_MS ? FIRST_WAIT_MS : waitMs;
      log.error(
        { ...details, restartInMs },
        'an edge process ended; it is started again after restartInMs',
      );
      setTimeout(() => {
        if (!isStopping) start(number, Math.min(LONGEST_WAIT_MS, restartInMs * 2));
      }, restartInMs);
    }
  }

  for (let number = 1; number <= settings.processes; number++) start(number, FIRST_WAIT_MS);
  onStop(log, {
    drainMs: settings.drainMs,
    beginDrain() {
      isStopping = true;
      for (const child of children) child.stdin?.write(DRAIN_MESSAGE);
    },
    async stop() {
      if (children.size === 0) return;
      const ended = new Promise<void>((resolve) => {
        onLastExit = resolve;
      });
      for (const child of children) child.stdin?.end();
      await ended;
    },
  });
}

/** How this program was started: the single executable needs no script. */
const ownArguments = (): string[] => (isSea() ? [] : [...process.execArgv, process.argv[1]!]);
