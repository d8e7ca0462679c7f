import { setTimeout as sleep } from 'node:timers/promises';
import { freshDataset } from '../dataset.ts';
import { collectGarbage, inspectorFlags } from '../inspector.ts';
import { startServer } from '../keyward-server.ts';
import { settledRss } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedDeliveries } from '../seed-deliveries.ts';
import { startReceiver } from '../webhook-receiver.ts';

const WEBHOOKS = 20;
const MB = 2 ** 20;

/** What deliveries cost that cannot go out: all are due, and nobody answers. */
export const deliveriesWaiting: Scenario = async (bench) => {
  const { waitingDeliveries } = bench.scale;
  const [without, waiting] = await Promise.all([rssWith(0), rssWith(waitingDeliveries)]);
  const name = waitingDeliveries.toLocaleString('en-GB');
  return [
    row(`deliveries: RSS of ${name} waiting`, 'MB', (waiting - without) / MB, { atMost: 100 }),
    row('  RSS with none waiting', 'MB', without / MB),
  ];
};

async function rssWith(count: number): Promise<number> {
  const dataset = await freshDataset(0);
  const receiver = await startReceiver();
  const paths = Array.from({ length: WEBHOOKS }, (_, n) => `/n${n}`);
  for (const path of paths) await receiver.hang(path);
  seedDeliveries(
    dataset.folder,
    paths.map((path) => receiver.url + path),
    count,
  );
  const inspector = await inspectorFlags();
  const env = { KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8' };
  const server = await startServer(dataset.folder, { nodeFlags: inspector.flags, env });
  try {
    // Long enough for a claim of all lanes, and for looking again at all that waits.
    await sleep(5_000);
    await collectGarbage(inspector.port);
    return await settledRss(server.pid, 10, 200);
  } finally {
    await server.stop();
    await receiver.stop();
    dataset.remove();
  }
}
