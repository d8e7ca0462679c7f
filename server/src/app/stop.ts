import type { FastifyBaseLogger } from 'fastify';

const DEADLINE_MS = 10_000;

/**
 * Runs `stop` at the first SIGTERM or SIGINT, then exits with 0, or with 1 if it failed. At a second
 * signal, or after ten seconds, the process exits immediately: all acknowledged changes are durable.
 */
export function onStop(log: FastifyBaseLogger, stop: () => Promise<void>): void {
  let isStopping = false;
  const begin = (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    stopAndExit(log, stop);
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
}

/**
 * Runs `stop` when the parent process closes the pipe at standard input, or ends, then exits like `onStop`.
 * SIGTERM and SIGINT are ignored: Ctrl-C and systemd send them to every process of a group, and the
 * parent decides when its children stop.
 */
export function onParentStop(log: FastifyBaseLogger, stop: () => Promise<void>): void {
  process.on('SIGTERM', () => {});
  process.on('SIGINT', () => {});
  process.stdin
    .once('end', () => {
      log.info('stopping');
      stopAndExit(log, stop);
    })
    .resume();
}

function stopAndExit(log: FastifyBaseLogger, stop: () => Promise<void>): void {
  setTimeout(() => {
    log.error('shutdown took longer than 10 s; exiting');
    process.exit(1);
  }, DEADLINE_MS).unref();
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
