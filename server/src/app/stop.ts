import type { FastifyBaseLogger } from 'fastify';

const DEADLINE_MS = 10_000;

/**
 * Runs `stop` once at the first SIGTERM or SIGINT and exits 0; at a second one, or after ten
 * seconds, the process ends as it is: whatever was acknowledged is durable anyway.
 */
export function onStop(log: FastifyBaseLogger, stop: () => Promise<void>): void {
  let stopping = false;
  const begin = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('stopping took longer than 10 s');
      process.exit(1);
    }, DEADLINE_MS).unref();
    stop().then(
      () => {
        log.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
}

/** One step after the other, each whatever became of the one before; fails at the end if any did. */
export async function allOf(
  log: FastifyBaseLogger,
  steps: readonly (() => unknown)[],
): Promise<void> {
  let failures = 0;
  for (const step of steps)
    try {
      await step();
    } catch (error) {
      failures++;
      log.error({ err: error }, 'a step of the stop failed');
    }
  if (failures > 0) throw new Error(`${failures} steps of the stop failed`);
}
