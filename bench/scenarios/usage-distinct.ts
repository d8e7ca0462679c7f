import { fileURLToPath } from 'node:url';
import { runChild, SERVER_CORE } from '../children.ts';
import { freshDataset } from '../dataset.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';

const PEER = fileURLToPath(new URL('../peers/distinct-uses.ts', import.meta.url));
/** A million well within a minute, or fewer in as much less. */
const KEYS_PER_SECOND = 1_000_000 / 35;

interface Figures {
  readonly counted: number;
  readonly heldMsMax: number;
  readonly rssGrowth: number;
  readonly feedSeconds: number;
  readonly flushSeconds: number;
  readonly settleSeconds: number;
}

/** Every key another one: nothing can be put together before it is written. */
export const usageDistinct: Scenario = async (bench) => {
  const { storedKeys } = bench.scale;
  bench.say(`storing ${storedKeys.toLocaleString('en-GB')} keys`);
  const dataset = await freshDataset(storedKeys, 0);
  try {
    const seconds = String(Math.round(storedKeys / KEYS_PER_SECOND));
    const args = ['--expose-gc', PEER, dataset.folder, String(storedKeys), seconds];
    const printed = await runChild(process.execPath, args, { core: SERVER_CORE });
    const figures = JSON.parse(printed) as Figures;
    if (figures.counted !== storedKeys)
      throw new Error(`${figures.counted} of ${storedKeys} uses were counted.`);
    return [
      // What is fed late is not flushed late: the tally may only ever be one flush behind.
      row('usage-distinct: flushed after the last use', 's', figures.flushSeconds, { atMost: 1 }),
      row('usage-distinct: growth of RSS at its peak', 'MB', figures.rssGrowth / 2 ** 20, {
        atMost: 300,
      }),
      row('usage-distinct: event loop held at most', 'ms', figures.heldMsMax, { atMost: 20 }),
      row('usage-distinct: journal added to its minutes', 's', figures.settleSeconds, {
        atMost: Number(seconds),
      }),
      row(
        `usage-distinct: ${storedKeys.toLocaleString('en-GB')} keys used within`,
        's',
        figures.feedSeconds,
      ),
    ];
  } finally {
    dataset.remove();
  }
};
