import type { FastifyBaseLogger } from 'fastify';
import type { CredentialChecks, Keyring } from '../../features/access-keys/index.ts';
import type { UsageTally } from '../../features/analytics/index.ts';
import type { ChangeStreams } from '../../features/change-stream/index.ts';
import { UsedSignatures } from '../../features/changes/index.ts';
import type { CreditLedger } from '../../features/credits/index.ts';
import type { Sessions } from '../../features/people/index.ts';
import { PortalPages, PortalSessions } from '../../features/portal/index.ts';
import type { RefusalResponses, Validator } from '../../features/validation/index.ts';
import { backlogOf, type DeliveryEngine } from '../../features/webhooks/index.ts';
import type { Timeouts } from '../../http/connection/api-server.ts';
import { Authenticator } from '../../http/gate/authenticate.ts';
import { Gate } from '../../http/gate/gate.ts';
import { Overload, type OverloadLimits } from '../../http/gate/overload.ts';
import { ValidationHandler, validationTimes } from '../../http/hot-path/index.ts';
import { serverBackend } from '../../http/hot-path/server-backend.ts';
import { Metrics } from '../../http/metrics/metrics.ts';
import { openApiDocument } from '../../http/openapi/document.ts';
import { installPages } from '../../http/pages.ts';
import { createRequestIds } from '../../http/request-ids.ts';
import { IdempotentCalls } from '../../http/routing/idempotency.ts';
import { buildServer } from '../../http/server.ts';
import type { WriteErrorBody } from '../../kernel/errors.ts';
import type { ResponseBudget } from '../../kernel/response-budget.ts';
import type { Route } from '../../kernel/route.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { allowedOnFullDisk, type Storage } from '../../storage/index.ts';
import type { Telemetry } from '../../telemetry/index.ts';
import type { Phase } from '../node-status.ts';
import type { Cluster } from './cluster.ts';

/** Builds the HTTP server with its limits, its metrics, the hot path and the pages. */
export function buildHttp(parts: {
  readonly routes: readonly Route[];
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly cluster: Cluster;
  readonly keyring: Keyring;
  readonly credentialChecks: CredentialChecks;
  readonly validator: Validator;
  readonly sessions: Sessions;
  readonly tally: UsageTally;
  readonly credits: CreditLedger;
  readonly deliveries: DeliveryEngine;
  readonly errorBody: WriteErrorBody;
  readonly refusals: RefusalResponses;
  readonly managementLimit: number;
  readonly trustedProxies: readonly string[];
  readonly hotPath?: boolean;
  readonly overloadLimits?: OverloadLimits;
  readonly responses: ResponseBudget;
  readonly changeStreams: ChangeStreams;
  readonly timeouts?: Partial<Timeouts>;
  readonly telemetry?: Pick<Telemetry, 'traceRequests'> | undefined;
  readonly publicUrl: () => string;
  readonly phase: () => Phase;
}) {
  const { routes, storage, secrets, clock, log, errorBody } = parts;
  const { cluster, keyring, validator, tally, responses } = parts;
  const overload = new Overload(parts.overloadLimits);
  const times = validationTimes();
  const metrics = new Metrics({
    outcomes: () => validator.outcomes,
    cache: () => {
      const { hits, misses, size, bytes } = validator.cache;
      return { hits, misses, entries: size, bytes };
    },
    usage: () => tally,
    credits: () => parts.credits,
    validationTimes: times,
    windows: () => {
      const { size, bytes, evicted } = cluster.local;
      return { held: size, bytes, evicted };
    },
    cluster: cluster.readings,
    disk: storage.disk,
    overload: () => ({ ...overload.counts, shed: overload.shed + responses.refused }),
    responseBytes: () => responses.bytes + parts.changeStreams.unreadBytes,
    webhooks: () => parts.deliveries,
    databaseReads: () => storage.readStatus(),
    backlog: () => backlogOf(storage.background, clock()),
  });
  const nextRequestId = createRequestIds();
  const isUpToDate = (now?: number) => cluster.bus.isUpToDate(now);
  const traces = parts.telemetry !== undefined;
  const validations = new ValidationHandler({
    backend: serverBackend({ keyring, validator, isUpToDate, errorBody, clock, traces, log }),
    times,
    overload,
    nextRequestId,
    refusals: parts.refusals,
    clock,
    log,
  });
  const server = buildServer({
    routes,
    gate: new Gate({
      authenticator: new Authenticator({
        keyring,
        checks: parts.credentialChecks,
        sessions: parts.sessions,
        portalSessions: new PortalSessions({ storage, secrets }),
        secrets,
        tally,
        usedSignatures: new UsedSignatures(allowedOnFullDisk(storage)),
        clock,
      }),
      counters: cluster.counters,
      overload,
      responses,
      isUpToDate,
      managementLimit: parts.managementLimit,
      publicUrl: parts.publicUrl,
      clock,
    }),
    idempotentCalls: new IdempotentCalls({ storage, secrets, clock }),
    metrics,
    overload,
    credentialChecks: parts.credentialChecks,
    responses,
    log,
    nextRequestId,
    errorBody,
    trustedProxies: parts.trustedProxies,
    closesConnections: () => parts.phase() === 'stopping' || !isUpToDate(),
    hotPath: parts.hotPath === false ? null : validations,
    traceRequests: parts.telemetry?.traceRequests,
    ...(parts.timeouts && { timeouts: parts.timeouts }),
  });
  installPages(server, () => openApiDocument(routes), new PortalPages(storage));
  return { server, metrics, overload, validations };
}
