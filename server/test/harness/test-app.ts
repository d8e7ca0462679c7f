import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import {
  type Application,
  type BuildParts,
  buildApplication,
} from '../../src/app/composition/application.ts';
import { firstBoot } from '../../src/app/first-boot.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { deriveSecrets, type Secrets } from '../../src/kernel/secrets/crypto.ts';
import type { Storage } from '../../src/storage/index.ts';
import type { ReadTimeouts } from '../../src/storage/reads/read-lanes.ts';
import { CALL_TIMEOUT_MS } from './long-timeouts.ts';
import { createTestClient, type TestClient } from './test-client.ts';
import { openTestStorage } from './test-storage.ts';

export const TEST_ROOT_SECRET = 'a root secret for tests, and for nothing else';
export const START = Date.UTC(2030, 0, 1);

/** The clock of a test; it moves only when the test sets `now`, unless `realClock` is set. */
export interface TestClock {
  now: number;
  /** With `realClock`: how far the clock of the server is ahead of the real one. */
  aheadMs: number;
}

export interface TestApp {
  readonly app: Application;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: TestClock;
  readonly url: string;
  /** All log lines. */
  readonly log: readonly string[];
  readonly accessKey: string;
  /** Token of the setup link for the first owner. */
  readonly setupToken: string;
  readonly accountId: string;
  readonly projectId: string;
  /** Sends the first access key; `as` uses another credential. */
  readonly client: TestClient;
  /** For clients of the SDK. */
  readonly sdkOptions: {
    readonly url: string;
    readonly accessKey: string;
    readonly timeoutMs: number;
  };
  close(): Promise<void>;
}

/**
 * Starts the whole server in this process, with a real database, real TCP and a clock that the test
 * sets.
 */
export async function startTestApp(
  options: {
    managementLimit?: number;
    cacheBytes?: number;
    realClock?: boolean;
    /** The initial time of the test clock. */
    startAt?: number;
    /** The monotonic clock. Default: the same clock as for times, so that a test moves both at once. */
    elapsed?: BuildParts['elapsed'];
    /** If set, webhooks are delivered to public addresses and to these. */
    webhookAllow?: readonly string[];
    /** Overrides the timeout of a delivery. */
    deliveryDeadlineMs?: number;
    /** If set, mail is sent to this server. */
    smtp?: BuildParts['smtp'];
    loginProviders?: BuildParts['loginProviders'];
    /**
     * Uses the address it listens on as its public URL, like `npm start`. Default:
     * https://keyward.example.
     */
    isLocal?: boolean;
    readGithubKeys?: BuildParts['readGithubKeys'];
    /** Networks whose forwarded client address is trusted. */
    trustedProxies?: readonly string[];
    clientIPHeader?: string;
    /** Set to false to disable the hot path. */
    hotPath?: boolean;
    overloadLimits?: BuildParts['overloadLimits'];
    responseLimits?: BuildParts['responseLimits'];
    timeouts?: BuildParts['timeouts'];
    readTimeouts?: ReadTimeouts;
    /** Changes what the server reads and writes. */
    withStorage?: (storage: Storage) => Storage;
  } = {},
): Promise<TestApp> {
  const opened = await openTestStorage(options.readTimeouts);
  const { dispose } = opened;
  const storage = options.withStorage?.(opened.storage) ?? opened.storage;
  const testClock: TestClock = { now: options.startAt ?? START, aheadMs: 0 };
  const clock = options.realClock ? () => Date.now() + testClock.aheadMs : () => testClock.now;
  const secrets = deriveSecrets(TEST_ROOT_SECRET);
  const ids = createIds(clock);
  const { accessKey, setupToken } = (await firstBoot(storage, secrets, ids, clock(), null))!;
  const lines: string[] = [];
  let url = '';
  const app = buildApplication({
    storage,
    secrets,
    ids,
    clock,
    elapsed: options.elapsed ?? clock,
    log: collectingLog(lines),
    managementLimit: options.managementLimit ?? 1_000_000,
    trustedProxies: options.trustedProxies ?? [],
    ...(options.clientIPHeader && { clientIPHeader: options.clientIPHeader }),
    cacheBytes: options.cacheBytes ?? 64 * 1024 * 1024,
    hotPath: options.hotPath ?? true,
    ...(options.overloadLimits && { overloadLimits: options.overloadLimits }),
    ...(options.responseLimits && { responseLimits: options.responseLimits }),
    ...(options.timeouts && { timeouts: options.timeouts }),
    webhookAllow: options.webhookAllow ?? [],
    // Most tests set the clock themselves: a delivery that fails on a slow machine would never be retried.
    deliveryDeadlineMs: options.deliveryDeadlineMs ?? CALL_TIMEOUT_MS,
    ...(options.smtp && { smtp: options.smtp }),
    ...(options.loginProviders && { loginProviders: options.loginProviders }),
    ...(options.readGithubKeys && { readGithubKeys: options.readGithubKeys }),
    publicUrl: () => (options.isLocal ? url : 'https://keyward.example'),
    phase: () => 'serving',
  });
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  app.tally.start();
  app.credits.start();
  if (options.webhookAllow) await app.deliveries.start();
  app.replays.start();
  app.mailSender?.start();
  url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`;
  const project = await storage.point.selectFrom('projects').selectAll().executeTakeFirstOrThrow();
  return {
    app,
    storage,
    secrets,
    clock: testClock,
    url,
    log: lines,
    accessKey,
    setupToken,
    accountId: project.account_id,
    projectId: project.id,
    client: createTestClient(url, accessKey),
    sdkOptions: { url, accessKey, timeoutMs: CALL_TIMEOUT_MS },
    async close() {
      app.changeStreams.stop();
      app.server.server.closeAllConnections();
      await app.server.close();
      await Promise.all([
        app.replays.stop(),
        app.signals.stop(),
        app.deliveries.stop(),
        app.mailSender?.stop(),
      ]);
      await app.tally.stop();
      await app.credits.stop();
      await dispose();
    },
  };
}

const collectingLog = (lines: string[]): Logger =>
  pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
