import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ChangeBus } from '../cluster/change-bus/change-bus.ts';
import {
  AccessKeyService,
  accessKeyByHash,
  accessKeyPrincipal,
  Keyring,
} from '../features/access-keys/index.ts';
import { AccountService } from '../features/accounts/index.ts';
import type { Retention, UsageMaintenance, UsageTally } from '../features/analytics/index.ts';
import { ApiKeyService, KeyImporter, KeyReader, keyByHash } from '../features/api-keys/index.ts';
import { AuditService, Sealer } from '../features/audit/index.ts';
import { ChangeStreams } from '../features/change-stream/index.ts';
import { ChangeRunner, UsedSignatures } from '../features/changes/index.ts';
import { CreditLedger, CreditService } from '../features/credits/index.ts';
import { CustomerService } from '../features/customers/index.ts';
import { type GithubKeys, LeakService } from '../features/leaks/index.ts';
import {
  createPeople,
  InvitationService,
  type LoginProviders,
  MailQueue,
  MailSender,
  makeOwner,
  memberPrincipal,
  Sessions,
  type SmtpSettings,
} from '../features/people/index.ts';
import { PlanService, PreviewService } from '../features/plans/index.ts';
import { ChangeCounts } from '../features/policies/index.ts';
import {
  PortalPages,
  PortalService,
  PortalSessionService,
  PortalSessions,
} from '../features/portal/index.ts';
import { ProjectCache, ProjectService, ProjectStates } from '../features/projects/index.ts';
import { NoticeMails, Signals } from '../features/signals/index.ts';
import {
  KeyLeases,
  LeaseReturns,
  RefusalResponses,
  Validator,
} from '../features/validation/index.ts';
import {
  backlogOf,
  createGuardedAgent,
  DeliveryEngine,
  DeliveryHistory,
  Pace,
  Pinger,
  parseAllowList,
  type ReadPrincipal,
  ReplayRunner,
  ReplayService,
  TransactionalOutbox,
  type WebhookAgent,
  WebhookService,
} from '../features/webhooks/index.ts';
import type { Timeouts } from '../http/connection/api-server.ts';
import { Authenticator } from '../http/gate/authenticate.ts';
import { Gate } from '../http/gate/gate.ts';
import { Overload, type OverloadLimits } from '../http/gate/overload.ts';
import { validationTimes } from '../http/hot-path/index.ts';
import { ValidationHandler } from '../http/hot-path/validation-handler.ts';
import { Metrics } from '../http/metrics/metrics.ts';
import { openApiDocument, PRODUCT } from '../http/openapi.ts';
import { installPages } from '../http/pages.ts';
import { createRequestIds } from '../http/request-ids.ts';
import { IdempotentCalls } from '../http/routing/idempotency.ts';
import { buildServer } from '../http/server.ts';
import { createErrorBody } from '../kernel/errors.ts';
import { isIdOf, type MakeId } from '../kernel/ids.ts';
import type { Route } from '../kernel/route.ts';
import type { Secrets } from '../kernel/secrets/crypto.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Storage } from '../storage/index.ts';
import { SpaceWatch } from '../storage/space-watch.ts';
import { openSqlite } from '../storage/sqlite.ts';
import { tracedStorage } from '../storage/traced-storage.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { buildCluster, type Cluster, type ClusterOptions } from './build-cluster.ts';
import { buildUsage } from './build-usage.ts';
import { engineState, type Phase, readinessOf } from './node-status.ts';
import { routesWith } from './routes.ts';
import { createUtilization } from './utilization.ts';

export interface BuildParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly clock: Clock;
  /** Monotonic clock, in milliseconds. Default: `performance.now`. */
  readonly elapsed?: () => number;
  readonly log: FastifyBaseLogger;
  readonly managementLimit: number;
  readonly trustedProxies: readonly string[];
  readonly cacheBytes: number;
  /** False: ordinary validations go through Node's parser and the router like everything else. */
  readonly hotPath?: boolean;
  /** Overrides of the overload limits and the connection timeouts. */
  readonly overloadLimits?: OverloadLimits;
  readonly timeouts?: Partial<Timeouts>;
  /** Overrides how long usage by minute and by hour is kept. */
  readonly usageRetention?: Retention;
  /** Addresses and CIDRs that webhooks may reach although they are not public. */
  readonly webhookAllow: readonly string[];
  /** Overrides the timeout of one delivery attempt. */
  readonly deliveryDeadlineMs?: number;
  /** Required if other nodes may use the same database. */
  readonly cluster?: ClusterOptions;
  /** Identity providers that people may sign in with. */
  readonly loginProviders?: LoginProviders;
  /** Mail server; without it, people pass on links themselves. */
  readonly smtp?: SmtpSettings;
  /** Reads the public keys of GitHub's secret scanning; without it, its messages are not accepted. */
  readonly readGithubKeys?: () => Promise<GithubKeys>;
  /** Records traces; see telemetry/. */
  readonly telemetry?: Pick<Telemetry, 'traceRequests' | 'traceparent'> | undefined;
  /** The URL of this server for links. */
  readonly publicUrl: () => string;
  readonly phase: () => Phase;
}

export interface Application {
  readonly server: FastifyInstance;
  readonly routes: readonly Route[];
  readonly metrics: Metrics;
  readonly tally: UsageTally;
  readonly credits: CreditLedger;
  readonly usageMaintenance: UsageMaintenance;
  readonly sealer: Sealer;
  readonly signals: Signals;
  readonly cluster: Cluster;
  readonly overload: Overload;
  readonly validations: ValidationHandler;
  readonly validator: Validator;
  readonly deliveries: DeliveryEngine;
  readonly replays: ReplayRunner;
  /** Null if no mail server is configured. */
  readonly mailSender: MailSender | null;
  readonly changeStreams: ChangeStreams;
  readonly bus: ChangeBus;
}

const ALONE: ClusterOptions = { staleSeconds: 60, limitsPerNode: false };

const CONNECT_TIMEOUT_MS = 10_000;

export const openStorage = (file: string): Promise<Storage> => openSqlite({ file });

/**
 * The composition root. The engines are chosen elsewhere: the storage in open-database.ts, the change bus
 * and the counters in build-cluster.ts.
 */
export function buildApplication(given: BuildParts): Application {
  // Engines: storage, change bus, counters.
  const space = new SpaceWatch(given.storage, given.clock);
  const parts = { ...given, storage: tracedStorage(space.storage) };
  const { storage, secrets, ids, clock, log } = parts;
  const cluster = buildCluster(parts.cluster ?? ALONE, parts);
  const { bus, counters } = cluster;
  const projects = new ProjectStates(bus);
  const levelChanges = new ChangeCounts(bus);

  // Webhook deliveries, started by changes.
  const allow = parseAllowList(parts.webhookAllow.join(','));
  if (!allow.isEmpty)
    log.warn(
      { allow: parts.webhookAllow },
      'webhooks may reach these addresses although they are not public',
    );
  const agent = createGuardedAgent({
    allow,
    connectTimeoutMs: Math.max(CONNECT_TIMEOUT_MS, parts.deliveryDeadlineMs ?? 0),
  });
  const pace = new Pace({
    validations: () => sumOf(validator.outcomes),
    utilization: createUtilization(),
    now: () => performance.now(),
  });
  const deliveries = createDeliveryEngine(parts, agent, pace);
  const wake = (webhookIds: readonly string[]) => deliveries.wake(webhookIds);
  const replays = new ReplayRunner({
    storage,
    ids,
    clock,
    pace,
    wake,
    readPrincipal,
    onError: (error) => log.error({ err: error }, 'a webhook replay failed; retrying'),
  });

  // Changes, usage counts and the audit log.
  const outbox = new TransactionalOutbox({
    storage,
    secrets,
    ids,
    wake,
    readPrincipal,
    ...(parts.telemetry && { traceparent: parts.telemetry.traceparent }),
  });
  const changes = new ChangeRunner({ storage, bus, outbox, secrets, ids, clock });
  const credits = createCreditLedger(parts, cluster);
  const mails = new MailQueue({ storage, secrets, ids, isSet: parts.smtp !== undefined });
  const noticeMails = new NoticeMails({ storage, mails, publicUrl: parts.publicUrl });
  const usage = buildUsage({ ...parts, outbox, noticeMails });
  const { tally } = usage;
  const sealer = new Sealer({
    storage,
    secrets,
    clock,
    onError: (error) => log.error({ err: error }, 'sealing the audit log failed; retrying'),
  });
  const signals = new Signals({
    storage,
    outbox,
    clock,
    mails: noticeMails,
    foldJournal: () => usage.maintenance.foldJournal(),
    elapsed: parts.elapsed ?? (() => performance.now()),
    onError: (error, doing) => log.error({ err: error }, doing),
  });

  // Cached credentials and validation.
  const keyring = new Keyring({
    readAccessKey: accessKeyByHash(storage.point),
    secrets,
    bus,
    projects,
  });
  const validator = new Validator({
    readKey: keyByHash(storage),
    secrets,
    counters,
    credits,
    bus,
    projects,
    levelChanges,
    tally,
    clock,
    cacheBytes: parts.cacheBytes,
  });
  // Subscribed after the caches of keys: a stream announces changes that they have already applied.
  const changeStreams = new ChangeStreams({ bus, clock });

  // People and mail.
  const sessions = new Sessions(storage);
  const onMailError = (error: unknown) =>
    log.error({ err: error }, 'sending mail failed; retrying');
  const mailSender =
    parts.smtp === undefined
      ? null
      : new MailSender({ storage, queue: mails, smtp: parts.smtp, clock, onError: onMailError });
  const people = createPeople({
    ...parts,
    changes,
    sessions,
    counters,
    providers: parts.loginProviders ?? {},
    mails,
    onError: onMailError,
  });

  // Routes, and the services behind them.
  const keyParts = {
    storage,
    changes,
    secrets,
    ids,
    projects: new ProjectCache({ storage, bus }),
    credits: new CreditService({ changes, ledger: credits, clock }),
  };
  const errorBody = createErrorBody(parts.publicUrl);
  const refusals = new RefusalResponses(errorBody);
  const keys = new KeyReader({ ...keyParts, clock });
  const keyService = new ApiKeyService({ ...keyParts, reader: keys });
  const accessKeys = new AccessKeyService({ storage, changes, secrets, ids });
  const plans = new PlanService(keyParts);
  const leases = new KeyLeases({ validator, counters, credits, bus, clock, ids });
  const routes = routesWith({
    apiKeys: [keys, keyService, new KeyImporter({ ...keyParts, clock })],
    validation: [
      { validator, clock, ids, errorBody, refusals, keys, credits: keyParts.credits, leases },
      new LeaseReturns({ storage, counters, credits, tally, clock }),
    ],
    plans: [plans, new PreviewService({ ...keyParts, plans, analytics: usage.analytics })],
    customers: [new CustomerService(keyParts), keys, usage.analytics],
    portalSessions: [new PortalSessionService({ ...keyParts, clock, publicUrl: parts.publicUrl })],
    portal: [
      new PortalService({
        storage,
        clock,
        counters,
        keys: keyService,
        reader: keys,
        credits: keyParts.credits,
        analytics: usage.analytics,
      }),
    ],
    accessKeys: [accessKeys],
    projects: [new ProjectService({ storage, changes, ids })],
    accounts: [new AccountService({ storage, changes, ids, makeOwner })],
    invitations: [
      new InvitationService({ storage, changes, ids, clock, mails, publicUrl: parts.publicUrl }),
      people.acceptance,
    ],
    people: [people],
    webhooks: [
      {
        webhooks: new WebhookService({ storage, changes, secrets, ids, allow, wake }),
        history: new DeliveryHistory({ storage, changes, wake }),
        replays: new ReplayService({ storage, changes, ids, clock, runner: replays }),
        pinger: new Pinger({ storage, secrets, agent, allow, clock }),
      },
    ],
    audit: [new AuditService({ storage })],
    analytics: [usage.analytics, usage.reports, usage.refusals],
    leaks: [
      new LeakService({ storage, secrets, ids, clock, changes, keys: keyService, accessKeys }),
      parts.readGithubKeys ?? null,
    ],
    changeStream: [changeStreams],
    service: [readinessOf(parts, cluster, space), () => engineState(storage.engine, cluster)],
  });

  // HTTP: limits, metrics, hot path, server.
  const overload = new Overload(parts.overloadLimits);
  const times = validationTimes();
  const metrics = new Metrics({
    outcomes: () => validator.outcomes,
    cache: () => {
      const { hits, misses, size, bytes } = validator.cache;
      return { hits, misses, entries: size, bytes };
    },
    usage: () => tally,
    credits: () => credits,
    validationTimes: times,
    windows: () => {
      const { size, bytes, evicted } = cluster.local;
      return { held: size, bytes, evicted };
    },
    cluster: cluster.readings,
    overload: () => overload.counts,
    webhooks: () => deliveries,
    backlog: () => backlogOf(storage.read, clock()),
  });
  const nextRequestId = createRequestIds();
  const isUpToDate = (now?: number) => bus.isUpToDate(now);
  const validations = new ValidationHandler({
    keyring,
    validator,
    times,
    overload,
    isUpToDate,
    nextRequestId,
    errorBody,
    refusals,
    clock,
    traces: parts.telemetry !== undefined,
    log,
  });
  const server = buildServer({
    routes,
    gate: new Gate({
      authenticator: new Authenticator({
        keyring,
        sessions,
        portalSessions: new PortalSessions({ storage, secrets }),
        secrets,
        tally,
        usedSignatures: new UsedSignatures(storage),
        clock,
      }),
      counters,
      overload,
      isUpToDate,
      managementLimit: parts.managementLimit,
      publicUrl: parts.publicUrl,
      clock,
    }),
    idempotentCalls: new IdempotentCalls({ storage, secrets, clock }),
    metrics,
    overload,
    log,
    nextRequestId,
    errorBody,
    trustedProxies: parts.trustedProxies,
    isDraining: () => parts.phase() === 'stopping',
    hotPath: parts.hotPath === false ? null : validations,
    traceRequests: parts.telemetry?.traceRequests,
    ...(parts.timeouts && { timeouts: parts.timeouts }),
  });
  installPages(server, () => openApiDocument(routes), new PortalPages(storage));
  return {
    server,
    routes,
    metrics,
    tally,
    credits,
    usageMaintenance: usage.maintenance,
    sealer,
    signals,
    cluster,
    overload,
    validations,
    validator,
    deliveries,
    replays,
    mailSender,
    changeStreams,
    bus,
  };
}

/** A principal by its id. An access key belongs to one account, so `accountId` matters only for people. */
const readPrincipal: ReadPrincipal = (tx, id, accountId, now) =>
  isIdOf('ak', id) ? accessKeyPrincipal(tx, id, now) : memberPrincipal(tx, id, accountId);

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** An embedded database has one node. Its name is fixed, so that it finds the blocks of its last run. */
function createCreditLedger({ storage, clock, log }: BuildParts, cluster: Cluster): CreditLedger {
  const isAlone = storage.engine === 'sqlite';
  return new CreditLedger({
    storage,
    clock,
    bus: cluster.bus,
    node: isAlone ? 'embedded' : randomBytes(16).toString('base64url'),
    nodes: isAlone ? null : cluster.nodes,
    onError: (error) => log.error({ err: error }, 'storing the use of credits failed; retrying'),
  });
}

function createDeliveryEngine(parts: BuildParts, agent: WebhookAgent, pace: Pace): DeliveryEngine {
  const { storage, secrets, ids, clock, log } = parts;
  return new DeliveryEngine({
    storage,
    secrets,
    ids,
    clock,
    random: Math.random,
    agent,
    pace,
    userAgent: `${PRODUCT.name}/${PRODUCT.version}`,
    ownsDatabase: storage.engine === 'sqlite',
    ...(parts.deliveryDeadlineMs !== undefined && { deadlineMs: parts.deliveryDeadlineMs }),
    onDisabled: (disabled) => log.warn(disabled, 'webhook disabled'),
    onError: (error, doing) => log.error({ err: error }, doing),
  });
}
