import { setTimeout as sleep } from 'node:timers/promises';
import { freshDataset } from '../dataset.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedDeliveries } from '../seed-deliveries.ts';
import { median, ratiosOf } from '../statistics.ts';
import { type BenchReceiver, startReceiver } from '../webhook-receiver.ts';

const WEBHOOKS = 20;
const HANGING = '/n0';
const CHANGES_PER_SECOND = 20;
const ROUND_SECONDS = 1.5;

/** What one webhook that hangs does to the delay of the nineteen others. */
export const deliveriesHanging: Scenario = async (bench) => {
  const dataset = await freshDataset(0);
  const receiver = await startReceiver();
  const urls = Array.from({ length: WEBHOOKS }, (_, n) => `${receiver.url}/n${n}`);
  seedDeliveries(dataset.folder, urls, 0);
  const server = await startServer(dataset.folder, {
    env: { KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8' },
  });
  const changes = ROUND_SECONDS * CHANGES_PER_SECOND;
  const undisturbed: number[] = [];
  const disturbed: number[] = [];
  try {
    const keyId = await makeKey(server);
    await delayOf(receiver, () => change(server, keyId, changes), changes * WEBHOOKS);
    for (const round of bench.rounds()) {
      const work = () => change(server, keyId, changes);
      undisturbed.push(await delayOf(receiver, work, changes * WEBHOOKS));
      await receiver.hang(HANGING);
      disturbed.push(await delayOf(receiver, work, changes * (WEBHOOKS - 1)));
      await receiver.release(HANGING);
      // What hung goes out now, and is not to run in the next round's time.
      await sleep(1_500);
      bench.say(
        `round ${round + 1}: ${disturbed.at(-1)!.toFixed(2)} ms with one hanging, ${undisturbed.at(-1)!.toFixed(2)} ms without`,
      );
    }
  } finally {
    await server.stop();
    await receiver.stop();
    dataset.remove();
  }
  return [
    row('deliveries: delay with one of 20 hanging', '×', ratiosOf(disturbed, undisturbed), {
      atMost: 1.05,
    }),
    row('deliveries: median delay', 'ms', undisturbed),
    row('  with one of 20 hanging', 'ms', disturbed),
  ];
};

async function delayOf(
  receiver: BenchReceiver,
  work: () => Promise<void>,
  expected: number,
): Promise<number> {
  await receiver.forget();
  await work();
  return median((await receiver.arrived(expected)).delaysMs);
}

const HEADERS = { 'x-api-key': ACCESS_KEY, 'content-type': 'application/json' };

async function makeKey(server: RunningServer): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/api-keys`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ name: 'bench' }),
  });
  return ((await answer.json()) as { id: string }).id;
}

let version = 0;

async function change(server: RunningServer, keyId: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api-keys/${keyId}`, {
      method: 'PATCH',
      headers: HEADERS,
      body: JSON.stringify({ name: `version ${version++}` }),
    });
    if (answer.status !== 200) throw new Error(`A change was answered with ${answer.status}.`);
    await sleep(1000 / CHANGES_PER_SECOND);
  }
}
