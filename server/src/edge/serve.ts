import { lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { destination, pino } from 'pino';
import { SettingError } from '../app/config.ts';
import { drain } from '../app/drain.ts';
import { onParentStop, onStop, runSteps } from '../app/stop.ts';
import { packageVersion } from '../kernel/files.ts';
import { buildEdge } from './build.ts';
import type { Reading } from './metrics.ts';
import { ask, respond } from './process-messages.ts';
import type { EdgeSettings, ListenAddress } from './settings.ts';

/** Longer than the supervisor itself waits for the other processes. */
const METRICS_TIMEOUT_MS = 8_000;

/**
 * Starts an edge, which runs until a signal stops it. With `processNumber`, it is one of several processes,
 * and their supervisor stops it instead.
 */
export async function serveEdge(settings: EdgeSettings, processNumber?: string): Promise<void> {
  const isChild = processNumber !== undefined;
  const log = pino({ level: settings.logLevel, base: { pid: process.pid } }, destination(2));
  let isStopping = false;
  const readOthers = async () => (await ask<(Reading | null)[]>(process, METRICS_TIMEOUT_MS)) ?? [];
  const edge = buildEdge({
    ...settings,
    log,
    isStopping: () => isStopping,
    ...(isChild && { oneOfSeveral: { processNumber, readOthers } }),
  });
  if (isChild) respond(process, () => edge.readMetrics());
  try {
    await listen(edge.server, settings.listen, isChild);
  } catch (error) {
    await edge.close();
    throw error;
  }
  const address = addressOf(edge.server);
  log.info({ address, version: packageVersion() }, 'listening');
  process.stdout.write(
    `Keyward edge is ready at ${address}, for the server ${settings.upstreamUrl}\n`,
  );
  void edge.started.then(() => log.info('connected to the server'));
  const onEnd = isChild ? onParentStop : onStop;
  onEnd(log, {
    drainMs: settings.drainMs,
    beginDrain() {
      isStopping = true;
    },
    stop: (msLeft) =>
      runSteps(log, {
        'completing requests': () => drain(edge.server, msLeft),
        'reporting usage': () => edge.close(),
      }),
  });
}

/** `reusePort`: other processes listen on the same port. */
export async function listen(
  server: Server,
  address: ListenAddress,
  reusePort = false,
): Promise<void> {
  if ('path' in address) await removeAbandoned(address.path);
  await new Promise<void>((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) =>
      reject(new SettingError(`--listen: cannot listen on ${textOf(address)}: ${error.message}.`));
    server.once('error', refused);
    const options = 'path' in address ? address : { ...address, reusePort };
    server.listen(options, () => {
      server.off('error', refused);
      resolve();
    });
  });
}

/**
 * Removes the socket of a process that was killed. A socket that accepts connections is in use and is kept.
 */
async function removeAbandoned(path: string): Promise<void> {
  const code = await new Promise<string | null>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(null);
    });
    probe.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''));
  });
  if (code !== 'ECONNREFUSED') return;
  // A connection to a file or a folder is refused, too.
  if (!lstatSync(path).isSocket())
    throw new SettingError(
      `--listen: ${path} exists and is not a socket. Use another path, or remove it.`,
    );
  rmSync(path);
}

const textOf = (address: ListenAddress): string =>
  'path' in address ? address.path : `${address.host}:${address.port}`;

/** For the log and the first line of output: `http://host:port`, or the path of the socket. */
export function addressOf(server: Server): string {
  const address = server.address() as AddressInfo | string;
  if (typeof address === 'string') return address;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
