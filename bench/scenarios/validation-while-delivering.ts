import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDataset } from '../dataset.ts';
import { ACCESS_KEY, startServer } from '../keyward-server.ts';
import { loadGenerator } from '../load/index.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedDeliveries } from '../seed-deliveries.ts';
import { ratiosOf } from '../statistics.ts';
import { startReceiver } from '../webhook-receiver.ts';

const WEBHOOKS = 20;
const KEYS = 1_000;
const CONNECTIONS = 64;
const BACKLOG = 30_000;

/** Validation while a backlog goes out that does not end before the measurement does. */
export const validationWhileDelivering: Scenario = async (bench) => {
  const { rounds, roundSeconds } = bench.scale;
  const receiver = await startReceiver();
  const urls = Array.from({ length: WEBHOOKS }, (_, n) => `${receiver.url}/n${n}`);
  const load = loadGenerator();
  const perSecond = async (backlog: number): Promise<{ validations: number; sent: number }> => {
    const dataset = await freshDataset(KEYS);
    const keysFile = join(dataset.folder, 'keys.txt');
    writeFileSync(keysFile, `${dataset.keys.join('\n')}\n`);
    seedDeliveries(dataset.folder, urls, backlog);
    const env = { KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8' };
    const server = await startServer(dataset.folder, [], env);
    try {
      const { port } = server;
      const asked = {
        port,
        keysFile,
        accessKey: ACCESS_KEY,
        connections: CONNECTIONS,
        firstKey: 0,
      };
      await load.drive({ ...asked, seconds: roundSeconds });
      await receiver.forget();
      const { requests, seconds, failures } = await load.drive({ ...asked, seconds: roundSeconds });
      if (failures > 0) throw new Error(`${failures} validations failed.`);
      const sent = (await receiver.seen()).count / seconds;
      return { validations: requests / seconds, sent };
    } finally {
      await server.stop();
      dataset.remove();
    }
  };
  const alone: number[] = [];
  const shared: number[] = [];
  const sent: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      alone.push((await perSecond(0)).validations);
      const both = await perSecond(BACKLOG);
      shared.push(both.validations);
      sent.push(both.sent);
      await sleep(500);
      bench.say(
        `round ${round + 1}: ${Math.round(both.validations)} with ${Math.round(both.sent)} deliveries, ${Math.round(alone.at(-1)!)} alone`,
      );
    }
  } finally {
    await receiver.stop();
  }
  return [
    row('validation: speed while delivering', '×', ratiosOf(shared, alone), { atLeast: 0.7 }),
    row('  deliveries meanwhile', '/s', sent),
  ];
};
