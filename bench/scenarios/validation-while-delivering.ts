import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { Lane, perSecond } from '../lane.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedDeliveries } from '../seed-deliveries.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';
import { startReceiver } from '../webhook-receiver.ts';

const WEBHOOKS = 20;
const KEYS = 1_000;
const BACKLOG = 30_000;
/** A server that has just started is slow by itself, and tells of first uses. */
const WARM_SECONDS = 4;
/** From one state into the other, which takes the pace a few tenths of a second. */
const SETTLE_SECONDS = 1;
const SECONDS = 1;

/**
 * Validation while a backlog goes out, against the same server while the same backlog is held: its
 * webhooks are paused in between. Two servers would differ in more, such as in what is compiled.
 */
export const validationWhileDelivering: Scenario = async (bench) => {
  const receiver = await startReceiver();
  const dataset = await freshDataset(KEYS);
  const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
  const urls = Array.from({ length: WEBHOOKS }, (_, n) => `${receiver.url}/n${n}`);
  seedDeliveries(dataset.folder, urls, BACKLOG);
  const env = { KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8' };
  const server = await startServer(dataset.folder, { env });
  const lane = new Lane({ port: server.port, pids: [server.pid], keysFile, pauseMs: 0 });
  const alone: number[] = [];
  const shared: number[] = [];
  const sent: number[] = [];
  const measure = async (status: 'live' | 'paused'): Promise<number> => {
    await setWebhooks(server, status);
    await lane.drive(SETTLE_SECONDS);
    await receiver.forget();
    const stretch = await lane.drive(SECONDS);
    const { count } = await receiver.seen();
    if (status === 'live') sent.push(count / stretch.seconds);
    return perSecond(stretch);
  };
  try {
    await lane.warmUp(WARM_SECONDS);
    await takeTurns(bench.rounds(), [
      async () => alone.push(await measure('paused')),
      async () => shared.push(await measure('live')),
    ]);
    if (sent.includes(0)) throw new Error('The backlog was over before the measurement was.');
  } finally {
    await server.stop();
    await receiver.stop();
    dataset.remove();
  }
  return [
    row('validation: speed while delivering', '×', ratiosOf(shared, alone), { atLeast: 0.7 }),
    row('  deliveries meanwhile', '/s', sent),
  ];
};

const HEADERS = { 'x-api-key': ACCESS_KEY, 'content-type': 'application/json' };

async function setWebhooks(server: RunningServer, status: 'live' | 'paused'): Promise<void> {
  const url = `http://127.0.0.1:${server.port}/webhooks`;
  const list = await fetch(url, { headers: HEADERS });
  const change = { method: 'PATCH', headers: HEADERS, body: JSON.stringify({ status }) };
  const webhooks = (await list.json()) as { id: string }[];
  const answers = await Promise.all(webhooks.map(({ id }) => fetch(`${url}/${id}`, change)));
  for (const answer of answers)
    if (answer.status !== 200) throw new Error(`A webhook was answered with ${answer.status}.`);
}
