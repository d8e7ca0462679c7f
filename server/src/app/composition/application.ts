import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ChangeBus } from '../../cluster/change-bus/change-bus.ts';
import {
  AccessKeyService,
  accessKeyByHash,
  CredentialChecks,
  Keyring,
} from '../../features/access-keys/index.ts';
import { AccountService } from '../../features/accounts/index.ts';
import type { Retention, UsageMaintenance, UsageTally } from '../../features/analytics/index.ts';
import { ApiKeyService, KeyImporter, KeyReader, keyByHash } from '../../features/api-keys/index.ts';
import { Sealer } from '../../features/audit/index.ts';
import { ChangeStreams } from '../../features/change-stream/index.ts';
import { ChangeRunner } from '../../features/changes/index.ts';
import { CreditLedger, CreditService } from '../../features/credits/index.ts';
import { CustomerImporter, CustomerService } from '../../features/customers/index.ts';
import { type GithubKeys, LeakService } from '../../features/leaks/index.ts';
import {
  createPeople,
  InvitationService,
  type LoginProviders,
  MailQueue,
  MailSender,
  makeOwner,
  Sessions,
  type SmtpSettings,
} from '../../features/people/index.ts';
import { PlanService, PreviewService } from '../../features/plans/index.ts';
import { ChangeCounts } from '../../features/policies/index.ts';
import { PortalService, PortalSessionService } from '../../features/portal/index.ts';
import { ProjectCache, ProjectStates } from '../../features/projects/index.ts';
import { NoticeMails, Signals } from '../../features/signals/index.ts';
import {
  ClientIPHeader,
  KeyLeases,
  LeaseReturns,
  RefusalResponses,
  Validator,
} from '../../features/validation/index.ts';
import type { DeliveryEngine, ReplayRunner } from '../../features/webhooks/index.ts';
import type { Timeouts } from '../../http/connection/api-server.ts';
import type { Overload, OverloadLimits } from '../../http/gate/overload.ts';
import type { HotPath } from '../../http/hot-path/index.ts';
import type { Metrics } from '../../http/metrics/metrics.ts';
import { createErrorBody } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { ResponseBudget, type ResponseLimits } from '../../kernel/response-budget.ts';
import type { Route } from '../../kernel/route.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { backgroundStorage, type Storage } from '../../storage/index.ts';
import { SpaceWatch } from '../../storage/space-watch.ts';
import { openSqlite } from '../../storage/sqlite.ts';
import { tracedStorage } from '../../storage/traced-storage.ts';
import type { Telemetry } from '../../telemetry/index.ts';
import { engineState, type Phase, readinessOf } from '../node-status.ts';
import { routesWith } from '../routes.ts';
import { buildCluster, type Cluster, type ClusterOptions } from './cluster.ts';
import { buildHttp } from './http.ts';
import { buildUsage } from './usage.ts';
import { buildWebhooks } from './webhooks.ts';

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
  /** The header with the address of a gateway's user, from a trusted proxy. Default: none. */
  readonly clientIPHeader?: string;
  readonly cacheBytes: number;
  /** False: simple validations go through Node's parser and the router like all other requests. */
  readonly hotPath?: boolean;
  /** Overrides of the overload limits and the connection timeouts. */
  readonly overloadLimits?: OverloadLimits;
  readonly responseLimits?: Partial<ResponseLimits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Overrides how long usage by minute and by hour is kept. */
  readonly usageRetention?: Retention;
  /** Addresses and CIDRs that webhooks may reach although they are not public. */
  readonly webhookAllow: readonly string[];
  /** Overrides the timeout of one delivery attempt. */
  readonly deliveryDeadlineMs?: number;
  /** Overrides the lease of a delivery. */
  readonly deliveryLeaseMs?: number;
  /** Required if other nodes may use the same database. */
  readonly cluster?: ClusterOptions;
  /** Identity providers that people may sign in with. */
  readonly loginProviders?: LoginProviders;
  /** Mail server; without one, people pass links on themselves. */
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
  readonly validations: HotPath;
  readonly responses: ResponseBudget;
  readonly validator: Validator;
  readonly deliveries: DeliveryEngine;
  readonly replays: ReplayRunner;
  /** Null if no mail server is configured. */
  readonly mailSender: MailSender | null;
  readonly changeStreams: ChangeStreams;
  readonly bus: ChangeBus;
}

const ALONE: ClusterOptions = { staleSeconds: 60, limitsPerNode: false };

export const openEmbeddedStorage = (file: string): Promise<Storage> =>
  openSqlite({ file, reserve: join(dirname(file), 'keyward.reserve') });

/**
 * The composition root. The engines are chosen elsewhere: the storage in open-database.ts, the change bus
 * and the counters in cluster.ts.
 */
export function buildApplication(given: BuildParts): Application {
  // Engines: storage, change bus, counters.
  const space = new SpaceWatch(given.storage, given.clock);
  const parts = { ...given, storage: tracedStorage(space.storage) };
  const { storage, secrets, ids, clock, log } = parts;
  const background = backgroundStorage(storage);
  const cluster = buildCluster(parts.cluster ?? ALONE, parts);
  const { bus, counters } = cluster;
  const projects = new ProjectStates(bus);
  const levelChanges = new ChangeCounts(bus);

  // Webhook deliveries, started by changes.
  const webhooks = buildWebhooks({
    ...parts,
    counters,
    validations: () => sumOf(validator.outcomes),
  });
  const { outbox, deliveries, replays } = webhooks;

  // Changes, usage counts and the audit log.
  const changes = new ChangeRunner({ storage, bus, outbox, secrets, ids, clock });
  const credits = createCreditLedger(parts, cluster);
  const mails = new MailQueue({ storage, secrets, ids, isConfigured: parts.smtp !== undefined });
  const noticeMails = new NoticeMails({ storage: background, mails, publicUrl: parts.publicUrl });
  const usage = buildUsage({ ...parts, outbox, noticeMails });
  const { tally } = usage;
  const sealer = new Sealer({
    storage: background,
    secrets,
    clock,
    onError: (error) => log.error({ err: error }, 'sealing the audit log failed; retrying'),
  });
  const signals = new Signals({
    storage: background,
    outbox,
    clock,
    mails: noticeMails,
    foldJournal: () => usage.maintenance.foldJournal(),
    hoursKeptFrom: (now) => usage.maintenance.hoursKeptFrom(now),
    elapsed: parts.elapsed ?? (() => performance.now()),
    onError: (error, message) => log.error({ err: error }, message),
  });

  // Cached credentials and validation.
  const credentialChecks = new CredentialChecks();
  const keyring = new Keyring({
    readAccessKey: accessKeyByHash(storage),
    secrets,
    bus,
    projects,
    credentialChecks,
  });
  const responses = new ResponseBudget(parts.responseLimits);
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
    responses,
  });
  // Created after the caches of keys, so that the bus notifies it after them: a stream announces only changes
  // that the caches have already applied.
  const changeStreams = new ChangeStreams({ bus, clock });

  // People and mail.
  const sessions = new Sessions(storage);
  const onMailError = (error: unknown) =>
    log.error({ err: error }, 'sending mail failed; a mail is tried up to six times');
  const mailSender =
    parts.smtp === undefined
      ? null
      : new MailSender({
          storage: background,
          queue: mails,
          smtp: parts.smtp,
          clock,
          onError: onMailError,
        });
  const people = createPeople({
    ...parts,
    changes,
    sessions,
    counters,
    providers: parts.loginProviders ?? {},
    mails,
    onError: (error) =>
      log.error({ err: error }, 'a password reset mail was not queued; it must be requested again'),
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
  const customers = new CustomerService(keyParts);
  const leases = new KeyLeases({ validator, counters, credits, bus, clock, ids });
  const routes = routesWith(keyParts, {
    apiKeys: [keys, keyService, new KeyImporter({ ...keyParts, clock })],
    validation: [
      {
        ...{ validator, clock, ids, errorBody, refusals, keys, leases },
        credits: keyParts.credits,
        clientIPHeader:
          parts.clientIPHeader === undefined
            ? null
            : new ClientIPHeader(parts.clientIPHeader, parts.trustedProxies),
      },
      new LeaseReturns({ storage, counters, credits, tally, clock }),
    ],
    plans: [plans, new PreviewService({ ...keyParts, plans, analytics: usage.analytics })],
    customers: [customers, new CustomerImporter(customers, storage), keys, usage.analytics],
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
    accounts: [new AccountService({ storage, changes, ids, makeOwner })],
    invitations: [new InvitationService({ ...parts, changes, counters, mails }), people.acceptance],
    people: [people],
    webhooks: [webhooks.services(changes)],
    analytics: [usage.analytics, usage.reports, usage.refusals],
    leaks: [
      new LeakService({ storage, secrets, ids, clock, changes, keys: keyService, accessKeys }),
      parts.readGithubKeys ?? null,
    ],
    changeStream: [changeStreams],
    service: [readinessOf(parts, cluster, space), () => engineState(storage.engine, cluster)],
  });

  const http = buildHttp({
    ...parts,
    routes,
    cluster,
    keyring,
    credentialChecks,
    validator,
    sessions,
    tally,
    credits,
    deliveries,
    errorBody,
    refusals,
    responses,
    changeStreams,
  });
  return {
    ...http,
    responses,
    routes,
    tally,
    credits,
    usageMaintenance: usage.maintenance,
    sealer,
    signals,
    cluster,
    validator,
    deliveries,
    replays,
    mailSender,
    changeStreams,
    bus,
  };
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/**
 * With an embedded database there is one node. Its name is fixed, so that it finds the blocks of its last run.
 */
function createCreditLedger(
  { storage, clock, ids, log }: BuildParts,
  cluster: Cluster,
): CreditLedger {
  const isEmbedded = storage.engine === 'sqlite';
  return new CreditLedger({
    storage,
    clock,
    ids,
    bus: cluster.bus,
    node: isEmbedded ? 'embedded' : randomBytes(16).toString('base64url'),
    nodes: isEmbedded ? null : cluster.nodes,
    onError: (error) => log.error({ err: error }, 'storing the use of credits failed; retrying'),
  });
}
