import { fileURLToPath } from 'node:url';
import { type Dataset, freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { cpuPerMillion, Lane, perSecond } from '../lane.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';

const UNCOUNTED = fileURLToPath(new URL('../peers/uncounted.ts', import.meta.url));

interface Side {
  readonly server: RunningServer;
  readonly dataset: Dataset;
  readonly lane: Lane;
}

/** What counting costs: the same server on the same keys, with its tally and deaf to it. */
export const usageTally: Scenario = async (bench) => {
  const { cachedKeys, stretchSeconds } = bench.scale;
  const sides = [
    await startSide(cachedKeys, []),
    await startSide(cachedKeys, ['--import', UNCOUNTED]),
  ];
  try {
    const [on, off] = sides.map(({ lane }) => lane) as [Lane, Lane];
    bench.say('warming up');
    for (const { lane } of sides) await lane.warmUp(2 * stretchSeconds, 1.2 * cachedKeys);
    await takeTurns(
      bench.rounds('pairs'),
      sides.map(
        ({ lane }) =>
          () =>
            lane.measure(stretchSeconds),
      ),
    );
    const speeds = ratiosOf(on.figures(perSecond), off.figures(perSecond));
    const costs = ratiosOf(on.figures(cpuPerMillion), off.figures(cpuPerMillion));
    return [
      estimate('usage-tally: speed against no tally', speeds, { atLeast: 0.95 }),
      estimate('usage-tally: CPU against no tally', costs),
      row('usage-tally: requests', '/s', on.figures(perSecond)),
      row('  without a tally: requests', '/s', off.figures(perSecond)),
      row('usage-tally: CPU per million', 's', on.figures(cpuPerMillion)),
      row('  without a tally: CPU per million', 's', off.figures(cpuPerMillion)),
    ];
  } finally {
    for (const { server, dataset } of sides) {
      await server.stop();
      dataset.remove();
    }
  }
};

async function startSide(keys: number, nodeFlags: readonly string[]): Promise<Side> {
  const dataset = await freshDataset(keys);
  const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
  const server = await startServer(dataset.folder, { nodeFlags });
  const { port, pid } = server;
  return { server, dataset, lane: new Lane({ port, pids: [pid], keysFile }) };
}
