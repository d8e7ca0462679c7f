import type { FastifyBaseLogger } from 'fastify';

const DEADLINE_MS = 10_000;
/** What the deadline leaves for everything after the drain. */
const AFTER_DRAIN_MS = 7_000;

/** How a process stops. */
export interface StopPlan {
  /** How long SIGTERM waits for load balancers to notice that this process is no longer ready. */
  readonly drainMs: number;
  /** Reports not ready and closes each connection after its response, but still answers everything. */
  beginDrain(): void;
  /** `msLeft`: the process exits at the latest after this time. */
  stop(msLeft: number): Promise<void>;
  /** Whether `process.exit` would wait for a thread that cannot be interrupted. */
  blocksExit?(): boolean;
}

/**
 * Stops the process at the first SIGTERM or SIGINT, and exits with 0, or with 1 if `stop` failed:
 *
 *   running ──SIGTERM──▶ draining ──the time is over, or another signal──▶ stopping ──▶ exited
 *      └──SIGINT (Ctrl-C), or SIGTERM without a drain time──────────────────▲
 *
 * At a signal while stopping, and at the deadline, the process exits immediately: all acknowledged changes are
 * durable. The deadline is 10 s after the first signal; after a drain longer than 3 s, 7 s after its end.
 */
export function onStop(
  log: FastifyBaseLogger,
  { drainMs, beginDrain, stop, blocksExit = () => false }: StopPlan,
): void {
  let state: 'running' | 'draining' | 'stopping' = 'running';
  let deadline = 0;
  const begin = () => {
    if (state === 'stopping') return;
    state = 'stopping';
    log.info('stopping');
    runStop(log, () => stop(deadline - performance.now()));
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (state === 'stopping') exitNow(blocksExit);
    if (state === 'draining') return begin();
    const waitMs = signal === 'SIGTERM' ? drainMs : 0;
    const deadlineMs = Math.max(DEADLINE_MS, waitMs + AFTER_DRAIN_MS);
    deadline = performance.now() + deadlineMs;
    exitAfter(log, deadlineMs, blocksExit);
    log.info({ signal, drainMs: waitMs }, 'draining');
    state = 'draining';
    beginDrain();
    if (waitMs === 0) begin();
    else setTimeout(begin, waitMs);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** Written to the standard input of a process that uses `onParentStop`, so that it drains. */
export const DRAIN_MESSAGE = 'drain\n';

/**
 * Drains when the parent process says so, and stops when the parent closes the pipe at standard input, or ends.
 * SIGTERM and SIGINT are ignored: Ctrl-C and systemd send them to every process of a group, and the
 * parent decides when its children stop.
 */
export function onParentStop(
  log: FastifyBaseLogger,
  { beginDrain, stop }: Omit<StopPlan, 'drainMs'>,
): void {
  process.on('SIGTERM', () => {});
  process.on('SIGINT', () => {});
  process.stdin
    .once('data', () => {
      log.info('draining');
      beginDrain();
    })
    .once('end', () => {
      log.info('stopping');
      beginDrain();
      exitAfter(log, DEADLINE_MS);
      runStop(log, () => stop(DEADLINE_MS));
    })
    .resume();
}

function exitAfter(
  log: FastifyBaseLogger,
  deadlineMs: number,
  blocksExit: () => boolean = () => false,
): void {
  setTimeout(() => {
    log.error(`shutdown took longer than ${deadlineMs / 1000} s; exiting`);
    exitNow(blocksExit);
  }, deadlineMs).unref();
}

/** SIGKILL is safe, since everything acknowledged is durable; `exit` waits for threads in a native call. */
function exitNow(blocksExit: () => boolean): void {
  if (blocksExit()) process.kill(process.pid, 'SIGKILL');
  process.exit(1);
}

function runStop(log: FastifyBaseLogger, stop: () => Promise<void>): void {
  stop().then(
    () => {
      log.info('stopped');
      process.exit(0);
    },
    (error: unknown) => {
      log.error({ err: error }, 'shutdown failed');
      process.exit(1);
    },
  );
}

/** Runs the named steps in order, even if earlier ones fail. Throws at the end if any step failed. */
export async function runSteps(
  log: FastifyBaseLogger,
  steps: Readonly<Record<string, () => unknown>>,
): Promise<void> {
  let failures = 0;
  for (const [name, step] of Object.entries(steps))
    try {
      await step();
    } catch (error) {
      failures++;
      log.error({ err: error }, `${name} failed during shutdown`);
    }
  if (failures > 0) throw new Error(`shutdown steps that failed: ${failures}`);
}
