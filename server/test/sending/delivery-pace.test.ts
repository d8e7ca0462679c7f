import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/index.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import {
  addKey,
  addWebhook,
  eventually,
  LOOPBACK,
  paceUnder,
  startEngine,
} from '../webhooks/delivery-app.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

let app: TestApp;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ webhookAllow: LOOPBACK });
});
afterEach(async () => {
  await receiver.close();
  await app.close();
});

const HOOKS = 20;
const CHANGES = 4;

/** Creates events with the engine stopped. */
async function makeBacklog(): Promise<void> {
  for (let n = 0; n < HOOKS; n++)
    await addWebhook(app, `${receiver.url}/n${n}`, { topics: ['api-key.updated'] });
  const { id } = await addKey(app);
  await app.app.deliveries.stop();
  for (let n = 0; n < CHANGES; n++)
    await app.client.patch(`/api-keys/${id}`, { name: `name ${n}` });
}

function counted(storage: Storage): { storage: Storage; transactions: () => number } {
  let transactions = 0;
  const counting: Storage = {
    ...storage,
    transaction: (work, options) => {
      transactions++;
      return storage.transaction(work, options);
    },
  };
  return { storage: counting, transactions: () => transactions };
}

it('deliveries are claimed and recorded in groups also at a reduced pace', async () => {
  await makeBacklog();
  const { storage, transactions } = counted(app.storage);
  const engine = await startEngine(app, { storage, pace: paceUnder(20_000) });
  const all = HOOKS * CHANGES;
  await eventually(
    () => app.storage.read.selectFrom('deliveries').select('status').execute(),
    (rows) => rows.length === all && rows.every(({ status }) => status === 'delivered'),
  );
  await engine.stop();
  const sent = receiver.received.map(({ path, headers }) => `${path} ${headers['webhook-id']}`);
  expect(sent).toHaveLength(all);
  expect(new Set(sent).size).toBe(all);
  // One claim and one record per sixteen deliveries, a few partial groups, and start and stop.
  expect(transactions()).toBeLessThan(all / 3);
});
