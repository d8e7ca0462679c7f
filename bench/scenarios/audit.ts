import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { removeFolder, SERVER_CORE, startChild, stopChild, temporaryFolder } from '../children.ts';
import { createKeys } from '../create-keys.ts';
import { cpuSeconds } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';

const SERVER = fileURLToPath(new URL('../peers/keyward-audited.ts', import.meta.url));
const VARIANTS = ['sealed', 'rows', 'nothing'] as const;
const WARM_SECONDS = 3;
const SLICE_SECONDS = 0.5;

interface Rounds {
  readonly rates: number[];
  /** Microseconds of all threads of the server for one key: hardly moved by what else runs. */
  readonly cpu: number[];
}

/** What the audit row and its sealing cost a change: keys created with and without them. */
export const audit: Scenario = async (bench) => {
  const { rounds, roundSeconds } = bench.scale;
  const folders = VARIANTS.map(() => temporaryFolder());
  const servers = await Promise.all(VARIANTS.map((variant, n) => start(variant, folders[n]!)));
  try {
    bench.say('warming up');
    for (const { port } of servers) await createKeys(port, WARM_SECONDS);
    for (let round = 0; round < rounds; round++) await measureRound(servers, roundSeconds);
    const [sealed, rows, nothing] = servers.map(({ measured }) => measured) as [
      Rounds,
      Rounds,
      Rounds,
    ];
    const cost = ratiosOf(sealed.rates, nothing.rates);
    return [
      row('audit: creates with row and seal against none', '×', cost, { atLeast: 0.9 }),
      row('audit: and against the row alone', '×', ratiosOf(sealed.rates, rows.rates)),
      row('audit: CPU a create against none', '×', ratiosOf(sealed.cpu, nothing.cpu)),
      row('audit: and against the row alone', '×', ratiosOf(sealed.cpu, rows.cpu)),
      row('audit: creates with row and seal', '/s', sealed.rates),
      row('audit: creates with row alone', '/s', rows.rates),
      row('audit: creates without', '/s', nothing.rates),
      row('audit: CPU a create with row and seal', 'µs', sealed.cpu),
      row('audit: CPU a create without', 'µs', nothing.cpu),
    ];
  } finally {
    await Promise.all(servers.map(({ child }) => stopChild(child)));
    for (const folder of folders) removeFolder(folder);
  }
};

/**
 * All three by turns in short slices, back and forth, so that whatever slows the machine for a
 * second or two slows them alike.
 */
async function measureRound(servers: readonly Server[], roundSeconds: number): Promise<void> {
  const made = servers.map(() => ({ keys: 0, seconds: 0, cpu: 0 }));
  const inTurn = servers.map((server, n) => ({ server, sum: made[n]! }));
  for (let slice = 0; slice * SLICE_SECONDS < roundSeconds; slice++)
    for (const { server, sum } of slice % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const before = cpuSeconds(server.child.pid!).whole;
      const { keys, seconds } = await createKeys(server.port, SLICE_SECONDS);
      sum.keys += keys;
      sum.seconds += seconds;
      sum.cpu += cpuSeconds(server.child.pid!).whole - before;
    }
  for (const { server, sum } of inTurn) {
    server.measured.rates.push(sum.keys / sum.seconds);
    server.measured.cpu.push((sum.cpu / sum.keys) * 1e6);
  }
}

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly measured: Rounds;
}

async function start(variant: string, folder: string): Promise<Server> {
  const child = startChild(process.execPath, [SERVER, variant, folder], { core: SERVER_CORE });
  const [text] = (await once(child.stdout!, 'data')) as [Buffer];
  const measured: Rounds = { rates: [], cpu: [] };
  return { child, port: Number(text.toString()), measured };
}
