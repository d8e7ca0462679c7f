import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createDataset } from '../dataset.ts';
import { type Keyward, startKeyward } from '../keyward.ts';
import { program } from '../peers.ts';
import { SERVER_CORE, Worker } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

const WEBHOOKS = 20;
/** As many as Keyward may have in flight. */
const CONCURRENCY = 256;
/** Headers that depend on the connection and not on the message. */
const OWN = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

/** Every change of a key is delivered to 20 webhooks, compared with a loop that posts one message. */
export const deliveries: Scenario = async (bench) => {
  const changes = Math.round(bench.scale.deliveries / WEBHOOKS);
  const count = changes * WEBHOOKS;
  const receiver = await startReceiver();
  const { folder, keys } = await createDataset(changes);
  const keyward = await startKeyward(folder, { env: { KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  for (let n = 0; n < WEBHOOKS; n++) await createWebhook(keyward, `${receiver.url}/${n}`);

  let round = 0;
  const deliver = (): Promise<number> =>
    receiver.rateOf(count, async () => {
      round++;
      await Promise.all(
        keys.map((key) => keyward.request('PATCH', `/api-keys/${key}`, { name: `Round ${round}` })),
      );
    });
  await deliver();
  const messageFile = join(folder, 'message.json');
  writeFileSync(messageFile, JSON.stringify(receiver.lastMessage()));
  const bareArguments = [program('bare-undici'), `${receiver.url}/bare`, messageFile];
  const bare = new Worker([...bareArguments, String(CONCURRENCY)], SERVER_CORE);
  const post = (): Promise<number> => receiver.rateOf(count, () => bare.request(String(count)));
  await post();

  const ours: number[] = [];
  const theirs: number[] = [];
  await bench.takeTurns([
    async () => ours.push(await deliver()),
    async () => theirs.push(await post()),
  ]);
  receiver.close();
  return [
    row('webhook deliveries compared with a bare undici loop', '×', ratios(ours, theirs), {
      atLeast: 0.2,
    }),
    row(`deliveries to ${WEBHOOKS} webhooks`, 'deliveries/s', ours),
    row('bare undici loop', 'requests/s', theirs),
  ];
};

async function createWebhook(keyward: Keyward, url: string): Promise<void> {
  const [project] = (await (await keyward.request('GET', '/projects')).json()) as { id: string }[];
  const { status } = await keyward.request('POST', '/webhooks', {
    ...{ name: 'Benchmark', url, topics: ['api-key.updated'], projectId: project!.id },
  });
  if (status !== 201) throw new Error(`Creating a webhook returned ${status}.`);
}

interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to every request at once, in this process, and records when requests arrive. */
async function startReceiver() {
  let [count, firstAt, expected] = [0, 0, 0];
  let last: Message | null = null;
  let finish: (lastAt: number) => void = () => {};
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.once('end', () => {
      response.end('ok');
      count++;
      if (count === 1) firstAt = performance.now();
      last = { headers: request.headers, body };
      if (count === expected) finish(performance.now());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
    lastMessage: (): Message => ({
      headers: Object.fromEntries(Object.entries(last!.headers).filter(([name]) => !OWN.has(name))),
      body: last!.body,
    }),
    /** Requests per second from the first to the last of `wanted` requests that `work` causes. */
    async rateOf(wanted: number, work: () => Promise<unknown>): Promise<number> {
      [count, expected] = [0, wanted];
      const lastAt = new Promise<number>((resolve) => {
        finish = resolve;
      });
      await work();
      return (wanted - 1) / (((await lastAt) - firstAt) / 1000);
    },
  };
}
