import type { FastifyBaseLogger } from 'fastify';
import type { Counters } from '../../cluster/counters/counters.ts';
import { accessKeyPrincipal } from '../../features/access-keys/index.ts';
import type { ChangeRunner } from '../../features/changes/index.ts';
import { memberPrincipal } from '../../features/people/index.ts';
import {
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
  WebhookService,
} from '../../features/webhooks/index.ts';
import { PRODUCT } from '../../http/openapi/document.ts';
import { isIdOf, type MakeId } from '../../kernel/ids.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { backgroundStorage, type Storage } from '../../storage/index.ts';
import type { Telemetry } from '../../telemetry/index.ts';
import { createUtilization } from '../utilization.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Builds the outbox, the engine that delivers its events, and the services behind the routes of webhooks. */
export function buildWebhooks(parts: {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: FastifyBaseLogger;
  readonly webhookAllow: readonly string[];
  readonly deliveryDeadlineMs?: number;
  readonly deliveryLeaseMs?: number;
  readonly telemetry?: Pick<Telemetry, 'traceparent'> | undefined;
  /** Validations since the start: deliveries leave time for them. */
  readonly validations: () => number;
}) {
  const { storage, secrets, ids, clock, counters, log } = parts;
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
    validations: parts.validations,
    utilization: createUtilization(),
    now: () => performance.now(),
  });
  const userAgent = `${PRODUCT.name}/${PRODUCT.version}`;
  const background = backgroundStorage(storage);
  const deliveries = new DeliveryEngine({
    storage: background,
    secrets,
    ids,
    clock,
    random: Math.random,
    agent,
    pace,
    userAgent,
    ownsDatabase: storage.engine === 'sqlite',
    ...(parts.deliveryDeadlineMs !== undefined && { deadlineMs: parts.deliveryDeadlineMs }),
    ...(parts.deliveryLeaseMs !== undefined && { leaseMs: parts.deliveryLeaseMs }),
    onDisabled: (disabled) => log.warn(disabled, 'webhook disabled'),
    onError: (error, message) => log.error({ err: error }, message),
  });
  const wake = (webhookIds: readonly string[]) => deliveries.wake(webhookIds);
  const replays = new ReplayRunner({
    storage: background,
    ids,
    clock,
    pace,
    wake,
    readPrincipal,
    onError: (error) => log.error({ err: error }, 'a webhook replay failed; retrying'),
  });
  return {
    deliveries,
    replays,
    outbox: new TransactionalOutbox({
      storage,
      secrets,
      ids,
      wake,
      readPrincipal,
      ...(parts.telemetry && { traceparent: parts.telemetry.traceparent }),
    }),
    services: (changes: ChangeRunner) => ({
      webhooks: new WebhookService({
        storage,
        changes,
        secrets,
        ids,
        allow,
        readPrincipal,
        wake,
      }),
      history: new DeliveryHistory({ storage, changes, wake }),
      replays: new ReplayService({ storage, changes, ids, clock, runner: replays }),
      pinger: new Pinger({
        storage,
        secrets,
        agent,
        allow,
        clock,
        counters,
        readPrincipal,
        userAgent,
      }),
    }),
  };
}

/** A principal by its id. An access key belongs to one account, so `accountId` matters only for people. */
const readPrincipal: ReadPrincipal = (db, id, accountId, now) =>
  isIdOf('ak', id) ? accessKeyPrincipal(db, id, now) : memberPrincipal(db, id, accountId);
