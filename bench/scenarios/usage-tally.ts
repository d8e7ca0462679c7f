import { fileURLToPath } from 'node:url';
import { type Dataset, freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { cpuPerMillion, Lane, perSecond } from '../lane.ts';
import { untilIdle } from '../process-figures.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';

const UNCOUNTED = fileURLToPath(new URL('../peers/uncounted.ts', import.meta.url));

interface Side {
  readonly server: RunningServer;
  readonly dataset: Dataset;
  readonly lane: Lane;
}

/** What one side left to be written is written in the time of both. */
const SLICE_SECONDS = 1;
const SETTLED_WITHIN_MS = 5_000;

/**
 * What counting costs: the same server on the same keys, with its tally and deaf to it. Both answer at
 * the same time on one core, so that a machine that slows down slows both; speed is what each
 * answers for a second of that core, its writer included.
 */
export const usageTally: Scenario = async (bench) => {
  const { cachedKeys, stretchSeconds } = bench.scale;
  const sides = [
    await startSide(cachedKeys, []),
    await startSide(cachedKeys, ['--import', UNCOUNTED]),
  ];
  try {
    const [on, off] = sides.map(({ lane }) => lane) as [Lane, Lane];
    bench.say('warming up');
    await Promise.all(sides.map(({ lane }) => lane.warmUp(2 * stretchSeconds, 1.2 * cachedKeys)));
    // First uses are recorded and told of, once in the life of a key: that is not counting.
    for (const { server } of sides) await untilIdle(server.pid, SETTLED_WITHIN_MS);
    bench.say('rounds');
    for (const _ of bench.rounds('pairs'))
      await Promise.all(sides.map(({ lane }) => lane.measure(SLICE_SECONDS)));
    // Without a tally first: whoever costs less is faster.
    const speeds = ratiosOf(off.figures(cpuPerMillion), on.figures(cpuPerMillion));
    return [
      estimate('usage-tally: speed against no tally', speeds, { atLeast: 0.95 }),
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
