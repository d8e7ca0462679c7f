import { resolve } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { destination, pino } from 'pino';
import { sweepResponses } from '../features/changes/index.ts';
import { githubKeysIn, readGithubKeys } from '../features/leaks/index.ts';
import { sweepExpiredLogins } from '../features/people/index.ts';
import { sweepPortalSessions } from '../features/portal/index.ts';
import { loadWindows, saveWindows } from '../features/rate-limits/store.ts';
import { WindowSaver } from '../features/rate-limits/window-saver.ts';
import { sweepDeliveries } from '../features/webhooks/index.ts';
import { createMetricsServer } from '../http/metrics/metrics-server.ts';
import { PRODUCT } from '../http/openapi/document.ts';
import { createIds } from '../kernel/ids.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { explainedFor } from '../storage/files/data-directory.ts';
import { allowedOnFullDisk } from '../storage/index.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { buildApplication, openEmbeddedStorage } from './composition/application.ts';
import { type Config, readConfig, SettingError } from './config.ts';
import { drain, FLUSH_MS } from './drain.ts';
import { GrantsUpgrade } from './grants-upgrade.ts';
import { sweepHistory } from './history.ts';
import { assertFree, type ListenAddress, listen, urlOf } from './listen.ts';
import type { Phase } from './node-status.ts';
import { openDatabase } from './open-database.ts';
import { openInstallation } from './open-installation.ts';
import { onStop, runSteps } from './stop.ts';
import { firstBootLines, welcome } from './welcome.ts';

const SWEEP_EVERY_MS = 60_000;
const DAY_MS = 86_400_000;

/** Steps that undo the start if it fails, run in reverse order; otherwise threads and locks would remain. */
type Undo = (() => unknown)[];

/**
 * Starts the server: opens its database, joins the other nodes and listens until the process ends.
 * The power-loss test passes `open`, to show what a database without syncs would lose.
 */
export async function serve(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  open: typeof openEmbeddedStorage = openEmbeddedStorage,
): Promise<void> {
  const undo: Undo = [];
  try {
    await start(readConfig(argv, env), open, undo);
  } catch (error) {
    // An error of a step is less important than the one that made the start fail.
    for (const step of undo.toReversed()) await (async () => step())().catch(() => {});
    throw error;
  }
}

async function start(config: Config, open: typeof openEmbeddedStorage, undo: Undo): Promise<void> {
  // The log goes to standard error; standard output is for people.
  const log = pino({ level: config.logLevel, base: { pid: process.pid } }, destination(2));
  for (const message of config.retired) log.warn(message);
  // A promise that is not awaited in one request must not end the process for all others.
  process.on('unhandledRejection', (err) =>
    log.error({ err }, 'a rejected promise was not handled'),
  );
  const { githubKeys } = config;
  if (githubKeys !== null) await checkGithubKeys(githubKeys);
  const clock = systemClock;
  const ids = createIds(clock);
  const migration = { onWait: (message: string) => log.warn(message) };
  const database = await openDatabase(config, open, clock(), migration);
  const { storage } = database;
  undo.push(() => database.close());
  const { host, port, metricsHost, metricsPort } = config;
  const api: ListenAddress = { host, port, settings: { host: 'HOST', port: 'PORT' } };
  const metrics: ListenAddress = {
    host: metricsHost,
    port: metricsPort,
    settings: { host: 'KEYWARD_METRICS_HOST', port: 'KEYWARD_METRICS_PORT' },
  };
  await assertFree(api);
  await assertFree(metrics);
  const installation = await openInstallation(storage, config, ids, clock, migration).catch(
    (error) => {
      throw config.databaseUrl === null ? explainedFor(resolve(config.dataDir), error) : error;
    },
  );
  const { firstBoot } = installation;
  if (firstBoot !== null) {
    const base = config.publicUrl ?? `http://${host}:${port}`;
    // Shows the secrets even if the start fails later: the next start would not show them.
    undo.push(() =>
      process.stdout.write(`${firstBootLines(config, base, firstBoot).join('\n')}\n`),
    );
  }

  let phase: Phase = 'starting';
  let address = '';
  const telemetry = await openTelemetry(config, log);
  const app = buildApplication({
    telemetry,
    storage,
    secrets: installation.secrets,
    ids,
    clock,
    log,
    managementLimit: config.managementLimit,
    trustedProxies: config.trustedProxies,
    ...(config.clientIPHeader !== null && { clientIPHeader: config.clientIPHeader }),
    cacheBytes: config.cacheMegabytes * 1024 * 1024,
    hotPath: config.hotPath === 'on',
    webhookAllow: config.webhookAllow,
    cluster: {
      ...(database.listen !== undefined && { listen: database.listen }),
      staleSeconds: config.staleSeconds,
      ...(config.redisUrl !== null && { redisUrl: config.redisUrl }),
      limitsPerNode: config.rateLimits === 'per-node',
    },
    usageRetention: { minuteHours: config.usageMinuteHours, hourDays: config.usageHourDays },
    ...(githubKeys && { readGithubKeys: githubKeysIn(githubKeys) }),
    loginProviders: config.loginProviders,
    ...(config.smtp && { smtp: config.smtp }),
    publicUrl: () => config.publicUrl ?? address,
    phase: () => phase,
  });
  undo.push(() => app.cluster.stop());
  await app.cluster.start();
  const save = async () => {
    if (app.cluster.keepsWindows) await saveWindows(storage, app.cluster.local, clock());
  };
  // A full disk must not prevent the start: keys could then be neither validated nor revoked.
  const { windowLoader, savesLongWindows } = app.cluster;
  await loadWindows(allowedOnFullDisk(storage), windowLoader, clock(), savesLongWindows);
  // In a cluster, loading removed the windows from the database: save them again if the start fails.
  undo.push(save);
  const windowSaver = savesLongWindows
    ? new WindowSaver(storage, app.cluster.local, clock, log)
    : undefined;
  telemetry?.exportMetrics(app.metrics.registry);
  const metricsServer = createMetricsServer(app.metrics);
  await listen(metricsServer, metrics);
  undo.push(() => metricsServer.close());
  await app.server.ready();
  await listen(app.server.server, api);
  undo.push(() => {
    app.server.server.close();
    app.server.server.closeAllConnections();
  });
  address = urlOf(app.server.server, config.host);
  for (const server of [app.server.server, metricsServer])
    server.on('error', (err) => log.error({ err }, 'a connection could not be accepted'));
  app.tally.start();
  app.credits.start();
  windowSaver?.start();
  const { knownSchema } = app.cluster;
  const grantsUpgrade = new GrantsUpgrade({ storage, clock, log, knownSchema });
  if (database.listen !== undefined) grantsUpgrade.start();
  app.usageMaintenance.start();
  app.sealer.start();
  app.signals.start();
  app.overload.start();
  await app.deliveries.start();
  app.replays.start();
  app.mailSender?.start();
  const sweeping = setInterval(() => {
    const sweeps = {
      'stored responses': sweepResponses,
      deliveries: sweepDeliveries,
      'sessions and links': sweepExpiredLogins,
      'portal sessions': sweepPortalSessions,
      'leaks and invitations': (_: typeof storage, now: number) =>
        sweepHistory(storage, now - config.historyDays * DAY_MS),
    };
    for (const [what, sweep] of Object.entries(sweeps))
      sweep(storage, clock()).catch((err) => log.error({ err }, `deleting old ${what} failed`));
  }, SWEEP_EVERY_MS).unref();
  log.info({ address, version: PRODUCT.version }, 'listening');

  const stop = async (msLeft: number) => {
    clearInterval(sweeping);
    app.overload.stop();
    grantsUpgrade.stop();
    // Open streams would delay the stop. Clients that validate locally lose nothing: without a stream, they
    // send every validation to a server.
    app.changeStreams.stop();
    // Reads in the background may take minutes. Reads of requests end with their connections.
    setTimeout(() => storage.endReads(), Math.max(0, msLeft - FLUSH_MS)).unref();
    await runSteps(log, {
      'completing requests and deliveries': () =>
        Promise.all([
          drain(app.server.server, msLeft),
          app.replays.stop(),
          app.signals.stop(),
          app.deliveries.stop(),
          app.mailSender?.stop(),
        ]),
      'saving rate limits': async () => {
        await windowSaver?.stop();
        await save();
      },
      'stopping usage maintenance': () => app.usageMaintenance.stop(),
      'storing usage': () => app.tally.stop(),
      'returning credits': () => app.credits.stop(),
      'sealing the audit log': () => app.sealer.stop(),
      'closing the metrics server': () => metricsServer.close(),
      'leaving the cluster': () => app.cluster.stop(),
      'closing the database': () => database.close(),
      // Last: a collector that does not respond must not delay the rest.
      'sending telemetry': () => telemetry?.stop(),
    });
  };
  const beginDrain = () => {
    phase = 'stopping';
  };
  onStop(log, {
    ...{ drainMs: config.drainMs, beginDrain, stop },
    blocksExit: () => storage.blocksExit(),
  });
  // Set after `onStop`, so that a node that reports ready also stops in order.
  phase = 'serving';
  process.stdout.write(welcome(config, address, firstBoot));
}

/** OpenTelemetry is loaded only if it is configured: it needs 10 MB of memory. */
async function openTelemetry(
  { otlpEndpoint, otlpIntervalMs }: Config,
  log: FastifyBaseLogger,
): Promise<Telemetry | undefined> {
  if (otlpEndpoint === null) return undefined;
  const { startTelemetry } = await import('../telemetry/index.ts');
  return startTelemetry(otlpEndpoint, PRODUCT.version, otlpIntervalMs, log);
}

/** Checks the file at the start. It is read again with every message, since GitHub changes its keys. */
async function checkGithubKeys(path: string): Promise<void> {
  try {
    await readGithubKeys(path);
  } catch (error) {
    const { message } = error as Error;
    throw new SettingError(`KEYWARD_GITHUB_KEYS: ${path} cannot be used: ${message}.`);
  }
}
