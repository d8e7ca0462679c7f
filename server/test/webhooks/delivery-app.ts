import {
  createGuardedAgent,
  DeliveryEngine,
  Pace,
  parseAllowList,
} from '../../src/features/webhooks/index.ts';
import { createIds } from '../../src/kernel/ids.ts';
import type { Storage } from '../../src/storage/index.ts';
import type { TestApp } from '../harness/test-app.ts';

export const LOOPBACK = ['127.0.0.0/8'];

interface Hook {
  readonly id: string;
  readonly secret: string;
}

/** A live webhook for `topics`, made through the API. */
export async function addWebhook(
  app: TestApp,
  url: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Hook> {
  const answer = await app.client.post('/webhooks', {
    name: 'test',
    url,
    projectId: app.projectId,
    topics: ['api-key.created'],
    httpMethod: 'POST',
    status: 'live',
    ...fields,
  });
  if (answer.status !== 201) throw new Error(`No webhook: ${answer.text}`);
  return answer.body as Hook;
}

/** Makes a key, and with it an event; answers its value. */
export async function addKey(app: TestApp, name = 'a key'): Promise<{ id: string; key: string }> {
  const answer = await app.client.post('/api-keys', { name, projectId: app.projectId });
  if (answer.status !== 201) throw new Error(`No key: ${answer.text}`);
  return answer.body as { id: string; key: string };
}

export const deliveryRows = (app: TestApp, webhookId: string) =>
  app.storage.read
    .selectFrom('deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('id')
    .execute();

export const attemptRows = (app: TestApp, webhookId: string) =>
  app.storage.read
    .selectFrom('delivery_attempts')
    .innerJoin('deliveries', 'deliveries.id', 'delivery_attempts.delivery_id')
    .selectAll('delivery_attempts')
    .where('deliveries.webhook_id', '=', webhookId)
    .orderBy('delivery_attempts.seq')
    .execute();

/** Asks until it is so; the test's own time limit ends it. */
export async function eventually<T>(
  look: () => Promise<T>,
  isSo: (seen: T) => boolean,
): Promise<T> {
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Moves the clock, and lets the engine look at it. */
export function later(app: TestApp, ms: number): void {
  app.clock.now += ms;
  app.app.deliveries.wake([]);
}

/** The pace beside so many validations a second, where there is no time to spare. */
export function paceUnder(validationsPerSecond: number): Pace {
  let passed = 0;
  const now = () => performance.now() + passed;
  const pace = new Pace({
    validations: () => (now() / 1000) * validationsPerSecond,
    utilization: () => 1,
    now,
  });
  // It looks ten times a second: after five it has found what it keeps.
  for (; passed < 5_000; passed += 100) pace.allowance();
  return pace;
}

/** A second engine over the same storage, as another node would have it. */
export async function startEngine(
  app: TestApp,
  options: {
    ownsDatabase?: boolean;
    refreshMs?: number;
    storage?: Storage;
    pace?: Pace;
    onError?: (error: unknown) => void;
  } = {},
): Promise<DeliveryEngine> {
  const { secrets } = app;
  const { storage = app.storage } = options;
  const clock = () => app.clock.now;
  const engine = new DeliveryEngine({
    storage,
    secrets,
    ids: createIds(clock),
    clock,
    random: Math.random,
    agent: createGuardedAgent({
      allow: parseAllowList(LOOPBACK.join(',')),
      connectTimeoutMs: 1_000,
    }),
    pace: options.pace ?? paceUnder(0),
    userAgent: 'Keyward/test',
    ownsDatabase: options.ownsDatabase ?? true,
    ...(options.refreshMs !== undefined && { refreshMs: options.refreshMs }),
    onDisabled: () => {},
    onError:
      options.onError ??
      ((error) => {
        throw error;
      }),
  });
  await engine.start();
  return engine;
}
