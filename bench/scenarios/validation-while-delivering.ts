import { type Dataset, freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { Lane, perSecond } from '../lane.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedDeliveries } from '../seed-deliveries.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';
import { startReceiver } from '../webhook-receiver.ts';

const WEBHOOKS = 20;
const KEYS = 1_000;
const BACKLOG = 20_000;
/** A server that has just started is slow by itself, and tells of first uses. */
const WARM_SECONDS = 3;
const SECONDS = 1;

interface Side {
  readonly server: RunningServer;
  readonly dataset: Dataset;
  readonly lane: Lane;
}

/** Validation while a backlog goes out that does not end before the measurement does. */
export const validationWhileDelivering: Scenario = async (bench) => {
  const receiver = await startReceiver();
  const urls = Array.from({ length: WEBHOOKS }, (_, n) => `${receiver.url}/n${n}`);
  const alone: number[] = [];
  const shared: number[] = [];
  const sent: number[] = [];
  const idle = await startSide(urls, 0);
  const measureShared = async (): Promise<void> => {
    // A backlog goes out once: it needs a new one each time.
    const busy = await startSide(urls, BACKLOG);
    try {
      await receiver.forget();
      const stretch = await busy.lane.drive(SECONDS);
      shared.push(perSecond(stretch));
      sent.push((await receiver.seen()).count / stretch.seconds);
    } finally {
      await endSide(busy);
    }
  };
  try {
    await takeTurns(bench.rounds(), [
      async () => alone.push(perSecond(await idle.lane.drive(SECONDS))),
      measureShared,
    ]);
  } finally {
    await endSide(idle);
    await receiver.stop();
  }
  return [
    row('validation: speed while delivering', '×', ratiosOf(shared, alone), { atLeast: 0.7 }),
    row('  deliveries meanwhile', '/s', sent),
  ];
};

async function startSide(urls: readonly string[], backlog: number): Promise<Side> {
  const dataset = await freshDataset(KEYS);
  const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
  seedDeliveries(dataset.folder, urls, backlog);
  const env = { KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8' };
  const server = await startServer(dataset.folder, { env });
  const lane = new Lane({ port: server.port, pids: [server.pid], keysFile, pauseMs: 0 });
  await lane.warmUp(WARM_SECONDS);
  return { server, dataset, lane };
}

async function endSide({ server, dataset }: Side): Promise<void> {
  await server.stop();
  dataset.remove();
}
