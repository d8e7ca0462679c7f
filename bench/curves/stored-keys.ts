import { type Dataset, storedDataset } from '../dataset.ts';
import { collectGarbage, inspectorFlags } from '../inspector.ts';
import { writeKeys } from '../keys-file.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { Lane, perSecond } from '../lane.ts';
import { settledRss } from '../process-figures.ts';
import { estimate, type Row, row } from '../rows.ts';
import { median, ratiosOf } from '../statistics.ts';
import { takeTurns, upTo } from '../turns.ts';
import { type Curve, type Reach, short } from './curve.ts';

const MB = 2 ** 20;

/** So many keys in a file, before a server runs on it for good. */
interface Stored {
  readonly stored: number;
  readonly dataset: Dataset;
  readonly seedSeconds: number;
  readonly starts: number[];
}

interface Side extends Stored {
  readonly server: RunningServer;
  readonly inspector: number;
  readonly keysFile: string;
  readonly lane: Lane;
  rss: number;
}

/** The same working set among ever more stored keys: speed, memory and start may not follow. */
export const storedKeys: Curve = async (reach, say) => {
  const all: Stored[] = [];
  const sides: Side[] = [];
  try {
    for (const stored of [0, ...reach.storedKeys]) {
      say(`storing ${short(stored)} keys`);
      all.push(await store(stored, reach));
      say(`took ${Math.round(all.at(-1)!.seedSeconds)} s`);
    }
    await measureStarts(all, reach.starts);
    const none = all[0]!;
    for (const each of all.slice(1)) sides.push(await startSide(each));
    for (const { lane } of sides) await lane.warmUp(reach.stretchSeconds, 2 * reach.workingSet);
    await takeTurns(
      upTo(reach.rounds),
      sides.map(
        ({ lane }) =>
          () =>
            lane.measure(reach.stretchSeconds),
      ),
    );
    const duel = await duelOf(sides, reach);
    for (const side of sides) side.rss = await settled(side);
    return {
      rows: [...duel, ...rowsOf(sides, none, reach)],
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
    for (const { dataset } of all) dataset.remove();
  }
};

const panel = (unit: string, sides: readonly Side[], of: (side: Side) => number) => ({
  unit,
  series: [{ label: '', values: sides.map(of) }],
});

async function store(stored: number, reach: Reach): Promise<Stored> {
  const startedAt = performance.now();
  const dataset = await storedDataset(stored, Math.min(stored, reach.workingSet));
  return { stored, dataset, seedSeconds: (performance.now() - startedAt) / 1000, starts: [] };
}

/** All by turns. The first of each is not counted: it reads a file that was just written. */
async function measureStarts(all: readonly Stored[], count: number): Promise<void> {
  const start = async ({ folder }: Dataset): Promise<number> => {
    const server = await startServer(folder);
    await server.stop();
    return server.readyAfterMs;
  };
  for (const { dataset } of all) await start(dataset);
  await takeTurns(
    upTo(count),
    all.map(
      ({ dataset, starts }) =>
        async () =>
          starts.push(await start(dataset)),
    ),
  );
}

async function startSide(stored: Stored): Promise<Side> {
  const { folder, keys } = stored.dataset;
  const inspector = await inspectorFlags();
  const server = await startServer(folder, { nodeFlags: inspector.flags });
  const keysFile = writeKeys(folder, 'keys', keys);
  const lane = new Lane({ port: server.port, pids: [server.pid], keysFile });
  return { ...stored, server, inspector: inspector.port, keysFile, lane, rss: 0 };
}

/** Without garbage: a heap breathes by more than what is looked for. */
async function settled({ server, inspector }: Side): Promise<number> {
  await collectGarbage(inspector);
  return settledRss(server.pid, 5, 200);
}

const baseOf = (sides: readonly Side[], { workingSet }: Reach): Side =>
  sides.find(({ stored }) => stored === workingSet)!;

/** The most against no more than are used, often and side by side: a few per cent are asked for. */
async function duelOf(sides: readonly Side[], reach: Reach): Promise<Row[]> {
  const pair = [sides.at(-1)!, baseOf(sides, reach)];
  const lanes = pair.map(
    ({ server: { port, pid }, keysFile }) => new Lane({ port, pids: [pid], keysFile }),
  );
  await takeTurns(
    upTo(reach.pairs),
    lanes.map((lane) => () => lane.measure(reach.stretchSeconds)),
  );
  const [most, base] = lanes.map((lane) => lane.figures(perSecond)) as [number[], number[]];
  const [all, some] = pair.map(({ stored }) => short(stored));
  const name = `${all} stored keys against ${some}: speed`;
  return [estimate(name, ratiosOf(most, base), { atLeast: 0.95 })];
}

function rowsOf(sides: readonly Side[], none: Stored, reach: Reach): Row[] {
  const base = baseOf(sides, reach);
  const most = sides.at(-1)!;
  const [all, some] = [short(most.stored), short(base.stored)];
  const start = median(most.starts) / median(none.starts);
  return [
    row(`${all} stored keys against ${some}: RSS`, '×', most.rss / base.rss, { atMost: 1.2 }),
    row(`${all} stored keys against none: start`, '×', start, { atMost: 1.2 }),
    row('no stored keys: start', 'ms', none.starts),
    ...sides.flatMap((side) => [
      row(`${short(side.stored)} stored keys`, 'req/s', side.lane.figures(perSecond)),
      row(`${short(side.stored)} stored keys: RSS`, 'MB', side.rss / MB),
      row(`${short(side.stored)} stored keys: start`, 'ms', side.starts),
      row(`${short(side.stored)} stored keys: time to store them`, 's', side.seedSeconds),
    ]),
  ];
}
