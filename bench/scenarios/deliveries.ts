import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild, SERVER_CORE } from '../children.ts';
import { type Dataset, freshDataset } from '../dataset.ts';
import { startServer } from '../keyward-server.ts';
import { type Row, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { type SignedMessage, seedDeliveries } from '../seed-deliveries.ts';
import { ratiosOf } from '../statistics.ts';
import { type BenchReceiver, startReceiver } from '../webhook-receiver.ts';

const PEER = fileURLToPath(new URL('../peers/bare-undici.ts', import.meta.url));
const WEBHOOKS = 20;
/** As many as we may have under way together. */
const PEER_CONCURRENCY = 256;

/** A backlog sent to a local receiver, against a bare loop that posts the same signed bodies. */
export const deliveries: Scenario = async (bench) => {
  const { deliveries: count } = bench.scale;
  const receiver = await startReceiver();
  const ours: number[] = [];
  const theirs: number[] = [];
  try {
    const urls = Array.from({ length: WEBHOOKS }, (_, n) => `${receiver.url}/n${n}`);
    for (const round of bench.rounds()) {
      const sent = await deliver(receiver, urls, count);
      ours.push(sent.perSecond);
      theirs.push(await postBare(receiver, sent.messages));
      bench.say(
        `round ${round + 1}: ${Math.round(ours.at(-1)!)} against ${Math.round(theirs.at(-1)!)} a second`,
      );
    }
    const toOne = await deliver(receiver, urls.slice(0, 1), count / 4);
    return rowsOf(ours, theirs, toOne.perSecond);
  } finally {
    await receiver.stop();
  }
};

const rowsOf = (ours: number[], theirs: number[], toOne: number): Row[] => [
  row('deliveries: speed of a bare undici loop', '×', ratiosOf(ours, theirs), { atLeast: 0.3 }),
  row(`deliveries: to ${WEBHOOKS} webhooks`, '/s', ours),
  row('deliveries: to one webhook', '/s', toOne),
  row('  bare undici loop', '/s', theirs),
];

/** Timed where they arrive, from the first to the last: the start of the server is not in it. */
async function deliver(
  receiver: BenchReceiver,
  urls: readonly string[],
  count: number,
): Promise<{ perSecond: number; messages: SignedMessage[] }> {
  const dataset = await freshDataset(0);
  const messages = seedDeliveries(dataset.folder, urls, count);
  await receiver.forget();
  const server = await startServer(dataset.folder, {
    env: { KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8' },
  });
  try {
    return { perSecond: rateOf(await receiver.arrived(count)), messages };
  } finally {
    await server.stop();
    dataset.remove();
  }
}

async function postBare(
  receiver: BenchReceiver,
  messages: readonly SignedMessage[],
): Promise<number> {
  const dataset: Dataset = await freshDataset(0);
  try {
    const file = join(dataset.folder, 'messages.json');
    writeFileSync(file, JSON.stringify(messages));
    await receiver.forget();
    const args = [PEER, `${receiver.url}/bare`, file, String(PEER_CONCURRENCY)];
    await runChild(process.execPath, args, { core: SERVER_CORE });
    return rateOf(await receiver.arrived(messages.length));
  } finally {
    dataset.remove();
  }
}

const rateOf = (seen: { count: number; firstAt: number; lastAt: number }): number =>
  (seen.count - 1) / ((seen.lastAt - seen.firstAt) / 1000);
