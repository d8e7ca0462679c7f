import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { SERVER_CORE, startChild, stopChild } from '../children.ts';
import { type Created, createKeys } from '../create-keys.ts';
import { freshDataset } from '../dataset.ts';
import { startServer } from '../keyward-server.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { TalkingChild } from '../talking-child.ts';
import { takeTurns } from '../turns.ts';

const PEER = fileURLToPath(new URL('../peers/bare-commits.ts', import.meta.url));
const NO_LIMIT = { KEYWARD_MANAGEMENT_LIMIT: '1000000000' };

/** Keys created by 32 callers, against durable commits of one row each and nothing else. */
export const create: Scenario = async (bench) => {
  const { stretchSeconds } = bench.scale;
  const [dataset, bareDataset] = [await freshDataset(0), await freshDataset(0)];
  const server = await startServer(dataset.folder, { env: NO_LIMIT, core: null });
  const args = [PEER, bareDataset.folder];
  const bare = new TalkingChild(
    startChild(process.execPath, args, { core: SERVER_CORE, talks: true }),
  );
  let acknowledged = 0;
  const rates = { ours: [] as number[], bare: [] as number[] };
  const measure = {
    async ours(): Promise<number> {
      const { keys, seconds } = await createKeys(server.port, stretchSeconds);
      acknowledged += keys;
      return keys / seconds;
    },
    async bare(): Promise<number> {
      const { keys, seconds } = await bare.ask<Created>(String(stretchSeconds));
      return keys / seconds;
    },
  };
  try {
    bench.say('warming up');
    for (let n = 0; n < 3; n++) await measure.ours();
    await measure.bare();
    await takeTurns(bench.rounds(), [
      async () => rates.ours.push(await measure.ours()),
      async () => rates.bare.push(await measure.bare()),
    ]);
    // Killed, not stopped: what was acknowledged is in the file by then, or it was no promise.
    await server.kill();
    // More may be there: some answers were cut off with their stretch.
    const missing = Math.max(0, acknowledged - storedKeys(dataset.folder));
    return [
      row('create: against one durable commit a key', '×', ratiosOf(rates.ours, rates.bare), {
        atLeast: 0.5,
      }),
      row('create: acknowledged, then missing after SIGKILL', 'keys', missing, { atMost: 0 }),
      row('create: keys', '/s', rates.ours),
      row('  durable commits of one row', '/s', rates.bare),
    ];
  } finally {
    await stopChild(bare.child);
    await server.stop();
    dataset.remove();
    bareDataset.remove();
  }
};

function storedKeys(folder: string): number {
  const database = new DatabaseSync(join(folder, 'keyward.db'));
  try {
    const { stored } = database.prepare('SELECT count(*) AS stored FROM api_keys').get() as {
      stored: number;
    };
    return stored;
  } finally {
    database.close();
  }
}
