import { setTimeout as sleep } from 'node:timers/promises';
import { changeKeys } from '../changes.ts';
import { type Dataset, freshDataset } from '../dataset.ts';
import { inspectorFlags } from '../inspector.ts';
import { writeKeys } from '../keys-file.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { Lane, perSecond } from '../lane.ts';
import { MemoryWatch } from '../memory-watch.ts';
import { type Paced, PacedLoad } from '../paced-load.ts';
import { type Row, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { median, trendOf } from '../statistics.ts';

const KEYS = 20_000;
const CHANGES_PER_SECOND = 20;
const WARM_SECONDS = 5;
const WARM_ROUNDS = 25;
/** On a machine that is too slow for so many rounds, the minute that is watched is still a minute. */
const WARM_STRETCHES_MAX = 8;
/** Of the memory: what it wanders without growing; in a minute V8 may let its young generation grow. */
const NOISE_SHARE = 0.02;
const MINUTE_SHARE = 0.1;
/** From here on a young generation that grew is no longer taken for growth. */
const LONG_SECONDS = 600;
/** A line that rises by less than this many typical distances from it is not seen to rise. */
const DISTANCES = 3;

/** Half of what it can, with changes going on: what leaks, fails or is not counted shows. */
export const soak: Scenario = async (bench) => {
  const { soakSeconds } = bench.scale;
  const dataset = await freshDataset(KEYS);
  const env = { KEYWARD_MANAGEMENT_LIMIT: '1000000000' };
  const inspector = await inspectorFlags();
  const server = await startServer(dataset.folder, { env, nodeFlags: inspector.flags });
  const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
  try {
    const full = new Lane({ port: server.port, pids: [server.pid], keysFile });
    // At full load, so that the heap is as large as it gets before it is watched.
    for (let n = 0; n < WARM_STRETCHES_MAX && full.asked < WARM_ROUNDS * KEYS; n++)
      await full.drive(2);
    await addJournal(server);
    const half = perSecond(await full.measure(2)) / 2;
    bench.say(`${Math.round(half)} a second for ${soakSeconds} s`);
    const watched = { server, inspector: inspector.port, dataset, keysFile, seconds: soakSeconds };
    return await soakAt(half, watched);
  } finally {
    await server.stop();
    dataset.remove();
  }
};

interface Soaked {
  readonly server: RunningServer;
  /** Port of its inspector. */
  readonly inspector: number;
  readonly dataset: Dataset;
  readonly keysFile: string;
  readonly seconds: number;
}

async function soakAt(half: number, soaked: Soaked): Promise<Row[]> {
  const { server, dataset, keysFile, seconds } = soaked;
  const load = await PacedLoad.start(server.port, keysFile, half);
  // What went before is counted too, and more of it than was answered: some of it was cut off.
  const before = await settledCount(server);
  const changing = changeKeys(server.port, dataset.keys, CHANGES_PER_SECOND);
  const warm = await load.drive(WARM_SECONDS);
  const memory = new MemoryWatch(server.pid, soaked.inspector, seconds);
  const driven = await load.drive(seconds);
  await memory.stop();
  const changed = await changing.stop();
  await load.stop();
  const counted = (await settledCount(server)) - before;
  const missed = toBeCounted(warm) + toBeCounted(driven) - counted;
  return soakRows({ memory, soaked: driven, changed, missed, seconds });
}

/** An overloaded server turns requests away before it looks at their key. */
const toBeCounted = ({ answered, statuses }: Paced): number => answered - (statuses['503'] ?? 0);

function soakRows(told: {
  memory: MemoryWatch;
  soaked: Paced;
  changed: { changes: number; failures: number; seconds: number };
  missed: number;
  seconds: number;
}): Row[] {
  const { memory, soaked, changed, missed, seconds } = told;
  const kept = memory.kept.map(({ value }) => value);
  const { slope, rise, noise } = trendOf(memory.kept);
  const level = median(kept);
  const refused = soaked.answered - (soaked.statuses['200'] ?? 0);
  const errors = soaked.failures + changed.failures + refused;
  const length = seconds >= LONG_SECONDS ? `${Math.round(seconds / 60)} min` : `${seconds} s`;
  return [
    row(`soak of ${length}: rise of RSS along its line`, 'MB', rise, {
      atMost: Math.max(
        DISTANCES * noise,
        (seconds < LONG_SECONDS ? MINUTE_SHARE : NOISE_SHARE) * level,
      ),
    }),
    row('soak: errors', '', errors, { atMost: 0 }),
    row('soak: validations that were not counted, or twice', '', Math.abs(missed), { atMost: 0 }),
    row('soak: slope of RSS', 'MB/min', slope),
    row('soak: RSS without garbage', 'MB', kept),
    row('soak: RSS', 'MB', memory.withGarbage),
    row('soak: validations', '/s', soaked.answered / seconds),
    row('soak: changes', '/s', changed.changes / changed.seconds),
    row('soak: p50, due to answered, looks at the memory included', 'ms', soaked.p50Ms),
    row('soak: p99, likewise', 'ms', soaked.p99Ms),
    row('soak: p99.9, likewise', 'ms', soaked.p999Ms),
  ];
}

/** Longer than several flushes. */
const SETTLED_AFTER_MS = 1_500;

/** What the analytics say when nothing more comes. */
async function settledCount(server: RunningServer): Promise<number> {
  for (let before = -1; ; ) {
    await sleep(SETTLED_AFTER_MS);
    const counted = await countedBy(server);
    if (counted === before) return counted;
    before = counted;
  }
}

async function countedBy(server: RunningServer): Promise<number> {
  const totals = (await ask(server, 'project-totals')) as { total: number }[];
  return totals.reduce((sum, { total }) => sum + total, 0);
}

/** What is done once a minute has been done once before memory is watched: a question does it too. */
const addJournal = (server: RunningServer) => ask(server, 'api-key-totals?limit=1');

async function ask({ port }: RunningServer, question: string): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}/analytics/${question}`, {
    headers: { 'x-api-key': ACCESS_KEY },
  });
  if (answer.status !== 200) throw new Error(`${question} answered ${answer.status}.`);
  return answer.json();
}
