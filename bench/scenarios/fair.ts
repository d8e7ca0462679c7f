import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateValue } from '#server/kernel/secrets/key-values.ts';
import { createDataset, unknownKeys } from '../dataset.ts';
import { ACCESS_KEY, startKeyward } from '../keyward.ts';
import { Load, writeRequests, writeValidations } from '../load.ts';
import { createAccount } from '../neighbours/accounts.ts';
import { enlargeKeys, startLargePages } from '../neighbours/large-pages.ts';
import { latenciesOfLists, latenciesOfValidations } from '../neighbours/latencies.ts';
import { startUnknownCallers } from '../neighbours/strangers.ts';
import { startUnreadResponses } from '../neighbours/unread-responses.ts';
import { program } from '../peers.ts';
import { formatFigure, type Row, row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { quantile } from '../statistics.ts';

const SECONDS = 3;
const VALIDATIONS_PER_SECOND = 200;
const LISTS_PER_SECOND = 10;
const LARGE_KEYS = 2_000;
const READERS = 12;
const CONNECTIONS = 200;
/** Longer than the requests of the neighbour, and the turns that are measured after them. */
const FLOOD_SECONDS = 8;
const WARM_UP_MS = 1_000;
const TURNS_MS = 1_500;
const ROUNDS = 3;
const GOAL_MS = 25;

/** What another account does meanwhile. Resolves when it has ended. */
type Flood = () => Promise<{ stop(): unknown }>;

interface Measured {
  readonly validations: number[];
  readonly lists: number[];
  readonly turns: number[];
}

/** What each kind of load of one account costs the validations and the lists of another. */
export const fair: Scenario = async (bench) => {
  const { folder } = await createDataset(bench.scale.cachedKeys);
  enlargeKeys(folder, LARGE_KEYS);
  const turnsFile = join(folder, 'turns');
  const keyward = await startKeyward(folder, {
    nodeFlags: ['--import', program('turn-times')],
    env: { TURNS_FILE: turnsFile },
  });
  const { port, pid } = keyward;
  const { accessKey, keys } = await createAccount(keyward, 50);
  const first = { port, accessKey: ACCESS_KEY };
  const { id: projectId } = (await (
    await keyward.request('POST', '/projects', { name: 'Imports' })
  ).json()) as { id: string };
  const floods: Record<string, Flood> = {
    alone: async () => ({ stop() {} }),
    'large pages': async () => startLargePages({ ...first, readers: READERS }),
    'unread responses': () => startUnreadResponses({ ...first, connections: CONNECTIONS }),
    'slow lists': async () => startLargePages({ ...first, readers: READERS, path: SLOW_LIST }),
    imports: loadOf({ port, pid, connections: 4 }, writeImports(folder, projectId)),
    'unknown access keys': async () => startUnknownCallers({ port, connections: CONNECTIONS }),
    batches: loadOf({ port, pid, connections: 40 }, writeBatches(folder)),
  };

  const rate = { port, accessKey, seconds: SECONDS };
  const measure = async (name: string): Promise<Measured> => {
    const flood = await floods[name]!();
    await sleep(WARM_UP_MS);
    const [validations, lists] = await Promise.all([
      latenciesOfValidations({ ...rate, keys, perSecond: VALIDATIONS_PER_SECOND }),
      latenciesOfLists({ ...rate, perSecond: LISTS_PER_SECOND }),
    ]);
    // Afterwards, because measuring the turns itself takes time from the neighbour.
    process.kill(pid, 'SIGUSR2');
    await sleep(TURNS_MS);
    rmSync(turnsFile, { force: true });
    process.kill(pid, 'SIGUSR2');
    await flood.stop();
    return { validations, lists, turns: await writtenTurns(turnsFile) };
  };

  await measure('alone');
  const all: Record<string, Measured[]> = {};
  await bench.takeTurns(
    Object.keys(floods).map((name) => async () => {
      const measured = await measure(name);
      all[name] = [...(all[name] ?? []), measured];
      bench.log(tableLine(name, [measured]));
    }),
    Math.min(ROUNDS, bench.scale.rounds),
  );
  console.log(
    [...TABLE_HEAD, ...Object.entries(all).map(([name, each]) => tableLine(name, each))].join('\n'),
  );
  return Object.entries(all).flatMap(([name, each]) => rowsOf(name, each));
};

/** The server writes the file when its event loop gets the signal. */
async function writtenTurns(file: string): Promise<number[]> {
  for (let n = 0; n < 200; n++) {
    await sleep(50);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return JSON.parse(text);
  }
  throw new Error('The server did not write the times of its turns.');
}

/** No key contains it, so the search reads all of them. */
const SLOW_LIST = '/api-keys?search=no-key-contains-this-text&sort=lastUsedAt';

const loadOf =
  (options: { port: number; pid: number; connections: number }, requestsFile: string): Flood =>
  async () => {
    const load = new Load({ ...options, requestsFile });
    const running = load.run(FLOOD_SECONDS);
    return { stop: () => running };
  };

const writeBatches = (folder: string): string =>
  writeValidations(folder, 'batches', unknownKeys(20_000), 1_000);

/** Imports of 1,000 rows each. The last ones repeat what was imported, if the machine is fast. */
function writeImports(folder: string, projectId: string): string {
  const lines = Array.from({ length: 40 }, (_, file) => {
    const rows = Array.from({ length: 1_000 }, (_row, n) => ({
      name: `Import ${file}.${n}`,
      key: generateValue('live_'),
      customMetaData: { plan: 'gold', seats: [1, 2, 3], note: 'x'.repeat(200) },
    }));
    return `/api-keys/import\t${JSON.stringify({ projectId, keys: rows })}`;
  });
  return writeRequests(folder, 'imports', lines);
}

const TABLE_HEAD = [
  '| Beside | validations p50 | p95 | lists p50 | p95 | CPU of a turn, p99 |',
  '|---|---:|---:|---:|---:|---:|',
];

function tableLine(name: string, each: readonly Measured[]): string {
  const at = (of: keyof Measured, q: number) => {
    const values = each.flatMap((one) => one[of]);
    return values.length === 0 ? '–' : `${formatFigure(quantile(values, q))} ms`;
  };
  const cells = [
    at('validations', 0.5),
    at('validations', 0.95),
    at('lists', 0.5),
    at('lists', 0.95),
  ];
  return `| ${[name, ...cells, at('turns', 0.99)].join(' | ')} |`;
}

function rowsOf(name: string, each: readonly Measured[]): Row[] {
  const beside = name === 'alone' ? 'alone' : `beside ${name} of another account`;
  const p95 = (of: keyof Measured) => each.map((one) => quantile(one[of], 0.95));
  return [
    row(`p95 of validations ${beside}`, 'ms', p95('validations'), { atMost: GOAL_MS }),
    row(`p95 of lists ${beside}`, 'ms', p95('lists'), { atMost: GOAL_MS }),
  ];
}
