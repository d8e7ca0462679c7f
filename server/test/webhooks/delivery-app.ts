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

/** Creates a live webhook through the API. */
export async function addWebhook(
  app: TestApp,
  url: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Hook> {
  const response = await app.client.post('/webhooks', {
    name: 'test',
    url,
    projectId: app.projectId,
    topics: ['api-key.created'],
    httpMethod: 'POST',
    status: 'live',
    ...fields,
  });
  if (response.status !== 201) throw new Error(`Creating the webhook failed: ${response.text}`);
  return response.body as Hook;
}

/** Creates a key, which emits an event. */
export async function addKey(app: TestApp, name = 'a key'): Promise<{ id: string; key: string }> {
  const response = await app.client.post('/api-keys', { name, projectId: app.projectId });
  if (response.status !== 201) throw new Error(`Creating the key failed: ${response.text}`);
  return response.body as { id: string; key: string };
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

/** Polls until the condition holds; the timeout of the test is the limit. */
export async function eventually<T>(
  read: () => Promise<T>,
  condition: (value: T) => boolean,
): Promise<T> {
  for (;;) {
    const value = await read();
    if (condition(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Advances the clock and wakes the engine. */
export function later(app: TestApp, ms: number): void {
  app.clock.now += ms;
  app.app.deliveries.wake([]);
}

/** The delivery pace on a fully loaded node with this many validations per second. */
export function paceUnder(validationsPerSecond: number): Pace {
  let passed = 0;
  const now = () => performance.now() + passed;
  const pace = new Pace({
    validations: () => (now() / 1000) * validationsPerSecond,
    utilization: () => 1,
    now,
  });
  // The pace is measured ten times per second, and is stable after five seconds.
  for (; passed < 5_000; passed += 100) pace.allowance();
  return pace;
}

/** Starts a second engine over the same storage, as on another node. */
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
      connectTimeoutMs: 60_000,
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
