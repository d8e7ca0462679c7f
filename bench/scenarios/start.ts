import { freshDataset } from '../dataset.ts';
import { startServer } from '../keyward-server.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { median, ratiosOf } from '../statistics.ts';

/** From start to ready with many stored keys, against the same with none: nothing is preloaded. */
export const start: Scenario = async (bench) => {
  const { storedKeys, starts } = bench.scale;
  bench.say(`storing ${storedKeys.toLocaleString('en-GB')} keys`);
  const empty = await freshDataset(0);
  const full = await freshDataset(storedKeys, 0);
  try {
    // Once unmeasured: the first start after bulk writing reads a cold file.
    await readyAfterMs(full.folder);
    const withNone: number[] = [];
    const withMany: number[] = [];
    for (let each = 0; each < starts; each++) {
      withNone.push(await readyAfterMs(empty.folder));
      withMany.push(await readyAfterMs(full.folder));
    }
    const ratio = median(withMany) / median(withNone);
    return [
      row('start: with many keys against none', '×', ratio, { atMost: 1.2 }),
      row('start: round by round', '×', ratiosOf(withMany, withNone)),
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
