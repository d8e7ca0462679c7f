import { freshDataset } from '../dataset.ts';
import { startServer } from '../keyward-server.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';

/** From start to ready with many stored keys, against the same with none: nothing is preloaded. */
export const start: Scenario = async (bench) => {
  const { storedKeys } = bench.scale;
  bench.say(`storing ${storedKeys.toLocaleString('en-GB')} keys`);
  const empty = await freshDataset(0);
  const full = await freshDataset(storedKeys, 0);
  try {
    // Once unmeasured: the first start after bulk writing reads a cold file.
    await readyAfterMs(full.folder);
    const withNone: number[] = [];
    const withMany: number[] = [];
    await takeTurns(bench.rounds(), [
      async () => withNone.push(await readyAfterMs(empty.folder)),
      async () => withMany.push(await readyAfterMs(full.folder)),
    ]);
    return [
      estimate('start: with many keys against none', ratiosOf(withMany, withNone), { atMost: 1.2 }),
      row('start: with none', 'ms', withNone),
      row(`start: with ${storedKeys.toLocaleString('en-GB')}`, 'ms', withMany),
    ];
  } finally {
    empty.remove();
    full.remove();
  }
};

async function readyAfterMs(dataDirectory: string): Promise<number> {
  const server = await startServer(dataDirectory);
  await server.stop();
  return server.readyAfterMs;
}
