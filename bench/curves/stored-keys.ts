import { type Dataset, storedDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { Lane, perSecond } from '../lane.ts';
import { settledRss } from '../process-figures.ts';
import { estimate, type Row, row } from '../rows.ts';
import { median, ratiosOf } from '../statistics.ts';
import { takeTurns, upTo } from '../turns.ts';
import { type Curve, type Reach, short } from './curve.ts';

const MB = 2 ** 20;

interface Side {
  readonly stored: number;
  readonly dataset: Dataset;
  readonly seedSeconds: number;
  readonly server: RunningServer;
  readonly lane: Lane;
  readonly starts: readonly number[];
  rss: number;
}

/** The same working set among ever more stored keys: speed, memory and start may not follow. */
export const storedKeys: Curve = async (reach, say) => {
  const sides: Side[] = [];
  const empty = await storedDataset(0, 0);
  try {
    const emptyStarts = await startTimes(empty, reach.starts);
    for (const stored of reach.storedKeys) {
      say(`storing ${short(stored)} keys`);
      sides.push(await startSide(stored, reach));
      say(`took ${Math.round(sides.at(-1)!.seedSeconds)} s`);
    }
    for (const { lane } of sides) await lane.warmUp(reach.stretchSeconds, 2 * reach.workingSet);
    await takeTurns(
      upTo(reach.rounds),
      sides.map(
        ({ lane }) =>
          () =>
            lane.measure(reach.stretchSeconds),
      ),
    );
    for (const side of sides) side.rss = await settledRss(side.server.pid, 10, 200);
    return {
      rows: rowsOf(sides, emptyStarts, reach),
      picture: {
        title: `Stored keys, ${short(reach.workingSet)} of them in use`,
        axis: 'stored keys',
        places: sides.map(({ stored }) => short(stored)),
        panels: [
          panel('validations a second', sides, ({ lane }) => median(lane.figures(perSecond))),
          panel('RSS, MB', sides, ({ rss }) => rss / MB),
          panel('start, ms', sides, ({ starts }) => median(starts)),
        ],
      },
    };
  } finally {
    await Promise.all(sides.map(({ server }) => server.stop()));
    for (const { dataset } of [...sides, { dataset: empty }]) dataset.remove();
  }
};

const panel = (unit: string, sides: readonly Side[], of: (side: Side) => number) => ({
  unit,
  series: [{ label: 'Keyward', values: sides.map(of) }],
});

async function startSide(stored: number, reach: Reach): Promise<Side> {
  const startedAt = performance.now();
  const dataset = await storedDataset(stored, Math.min(stored, reach.workingSet));
  const seedSeconds = (performance.now() - startedAt) / 1000;
  const starts = await startTimes(dataset, reach.starts);
  const server = await startServer(dataset.folder);
  const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
  const lane = new Lane({ port: server.port, pids: [server.pid], keysFile });
  return { stored, dataset, seedSeconds, server, lane, starts, rss: 0 };
}

/** The first is not counted: it reads a file that was just written. */
async function startTimes({ folder }: Dataset, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n <= count; n++) {
    const server = await startServer(folder);
    await server.stop();
    times.push(server.readyAfterMs);
  }
  return times.slice(1);
}

function rowsOf(sides: readonly Side[], emptyStarts: readonly number[], reach: Reach): Row[] {
  const base = sides.find(({ stored }) => stored === reach.workingSet)!;
  const most = sides.at(-1)!;
  const name = `${short(most.stored)} stored keys against ${short(base.stored)}`;
  const speeds = (side: Side) => side.lane.figures(perSecond);
  const start = median(most.starts) / median(emptyStarts);
  return [
    estimate(`${name}: speed`, ratiosOf(speeds(most), speeds(base)), { atLeast: 0.95 }),
    row(`${name}: RSS`, '×', most.rss / base.rss, { atMost: 1.2 }),
    row(`${short(most.stored)} stored keys against none: start`, '×', start, { atMost: 1.2 }),
    row('no stored keys: start', 'ms', emptyStarts),
    ...sides.flatMap((side) => [
      row(`${short(side.stored)} stored keys`, 'req/s', speeds(side)),
      row(`${short(side.stored)} stored keys: RSS`, 'MB', side.rss / MB),
      row(`${short(side.stored)} stored keys: start`, 'ms', side.starts),
      row(`${short(side.stored)} stored keys: time to store them`, 's', side.seedSeconds),
    ]),
  ];
}
