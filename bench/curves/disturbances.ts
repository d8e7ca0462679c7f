import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runChild } from '../children.ts';
import { type Dataset, storedDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { Lane, perSecond } from '../lane.ts';
import { type Paced, PacedLoad } from '../paced-load.ts';
import { row } from '../rows.ts';
import { seeding } from '../seed.ts';
import { seedDeliveries } from '../seed-deliveries.ts';
import { median } from '../statistics.ts';
import { type BenchReceiver, startReceiver } from '../webhook-receiver.ts';
import type { Curve } from './curve.ts';
import { isRolledUp, seedMinutes } from './seed-minutes.ts';

const KEYWARD = fileURLToPath(new URL('../../server/bin/keyward.mjs', import.meta.url));
const SLICE_SECONDS = 1;
const QUIET_SLICES = 5;
/** Few enough to be warm before the keeper looks for the first time, after ten seconds. */
const USED = 2_000;
const USED_IN_MINUTES = 20_000;
const ROLL_UP_WITHIN_MS = 180_000;

/** How long a request waits from when it was due, at half load, while something large runs. */
export const disturbances: Curve = async (reach, say) => {
  say('storing keys, minutes and events');
  const dataset = await storedDataset(reach.keysBeside, USED);
  const receiver = await startReceiver();
  const webhookId = seedEvents(dataset, receiver, reach.replayedEvents);
  const startedAt = Date.now();
  seedMinutes(dataset.folder, Math.min(USED_IN_MINUTES, reach.keysBeside), startedAt);
  const env = { KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8' };
  const server = await startServer(dataset.folder, { env });
  const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
  let load: PacedLoad | null = null;
  try {
    const rollUp = waitFor(() => isRolledUp(dataset.folder, startedAt), ROLL_UP_WITHIN_MS);
    const full = new Lane({ port: server.port, pids: [server.pid], keysFile });
    await full.warmUp(1, 2 * USED);
    load = await PacedLoad.start(server.port, keysFile, perSecond(await full.measure(1)) / 2);
    // The roll-up begins by itself ten seconds after the start: it comes first.
    const during: Record<string, Paced[]> = { 'a roll-up': await slicesWhile(load, rollUp) };
    during.nothing = await slicesWhile(load, sleep(QUIET_SLICES * SLICE_SECONDS * 1000));
    during['a backup'] = await slicesWhile(load, backUp(dataset));
    during['a replay'] = await slicesWhile(
      load,
      replay(server, receiver, webhookId, reach.replayedEvents),
    );
    const order = ['nothing', 'a backup', 'a roll-up', 'a replay'];
    return {
      rows: order.flatMap((name) => [
        row(
          `while ${name} runs: p50`,
          'ms',
          during[name]!.map(({ p50Ms }) => p50Ms),
        ),
        row(
          `while ${name} runs: p99`,
          'ms',
          during[name]!.map(({ p99Ms }) => p99Ms),
        ),
        row(`while ${name} runs: the longest wait`, 'ms', worst(during[name]!)),
        row(`while ${name} runs: seconds of it`, 's', during[name]!.length * SLICE_SECONDS),
      ]),
      picture: {
        title: 'Waiting at half load, from due to answered',
        axis: 'what runs meanwhile',
        places: order,
        isUnordered: true,
        panels: [
          {
            unit: 'ms, median of the seconds',
            series: [
              { label: 'p50', values: order.map((name) => medianOf(during[name]!, 'p50Ms')) },
              { label: 'p99', values: order.map((name) => medianOf(during[name]!, 'p99Ms')) },
            ],
          },
          {
            unit: 'ms',
            series: [{ label: 'the longest', values: order.map((name) => worst(during[name]!)) }],
          },
        ],
      },
    };
  } finally {
    await load?.stop();
    await server.stop();
    await receiver.stop();
    dataset.remove();
  }
};

const worst = (slices: readonly Paced[]): number => Math.max(...slices.map(({ maxMs }) => maxMs));
const medianOf = (slices: readonly Paced[], of: 'p50Ms' | 'p99Ms'): number =>
  median(slices.map((slice) => slice[of]));

/** One slice after the other until the work is over, and at least one. */
async function slicesWhile(load: PacedLoad, work: Promise<unknown>): Promise<Paced[]> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  const slices: Paced[] = [];
  do {
    const slice = await load.drive(SLICE_SECONDS);
    if (slice.failures > 0) throw new Error(`${slice.failures} requests failed.`);
    slices.push(slice);
  } while (!isOver);
  await over;
  return slices;
}

const backUp = ({ folder }: Dataset): Promise<string> =>
  runChild(process.execPath, [KEYWARD, 'backup', join(folder, 'copy.db'), '--data-dir', folder], {
    core: null,
  });

/** Events of the past, delivered long ago. */
function seedEvents({ folder }: Dataset, receiver: BenchReceiver, count: number): string {
  seedDeliveries(folder, [`${receiver.url}/replayed`], count);
  return seeding(folder, (database) => {
    database.exec('DELETE FROM deliveries');
    return (database.prepare('SELECT id FROM webhooks').get() as { id: string }).id;
  });
}

async function replay(
  { port }: RunningServer,
  receiver: BenchReceiver,
  webhookId: string,
  events: number,
): Promise<void> {
  await receiver.forget();
  const answer = await fetch(`http://127.0.0.1:${port}/webhooks/${webhookId}/replay`, {
    method: 'POST',
    headers: { 'x-api-key': ACCESS_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ since: new Date(Date.now() - 86_400_000).toISOString() }),
  });
  if (answer.status !== 201) throw new Error(`The replay was answered with ${answer.status}.`);
  await receiver.arrived(events);
}

async function waitFor(isDone: () => boolean, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!isDone()) {
    if (performance.now() > giveUpAt) throw new Error('The roll-up did not end in time.');
    await sleep(250);
  }
}
