import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { removeFolder, SERVER_CORE, startChild, stopChild, temporaryFolder } from '../children.ts';
import { createKeys } from '../create-keys.ts';
import { cpuSeconds } from '../process-figures.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';

const SERVER = fileURLToPath(new URL('../peers/keyward-audited.ts', import.meta.url));
const VARIANTS = ['sealed', 'nothing'] as const;
const WARM_SECONDS = 2;
const SLICE_SECONDS = 0.5;

/**
 * What the audit row and its sealing cost a change: keys created with and without them, by
 * turns in short slices.
 */
export const audit: Scenario = async (bench) => {
  const folders = VARIANTS.map(() => temporaryFolder());
  const servers = await Promise.all(VARIANTS.map((variant, n) => start(variant, folders[n]!)));
  try {
    bench.say('warming up');
    for (const { port } of servers) await createKeys(port, WARM_SECONDS);
    await takeTurns(
      bench.rounds('pairs'),
      servers.map((server) => () => measure(server)),
    );
    const [sealed, nothing] = servers as [Server, Server];
    return [
      estimate(
        'audit: creates with row and seal against none',
        ratiosOf(sealed.rates, nothing.rates),
        { atLeast: 0.9 },
      ),
      estimate('audit: CPU a create against none', ratiosOf(sealed.cpu, nothing.cpu)),
      row('audit: creates with row and seal', '/s', sealed.rates),
      row('audit: creates without', '/s', nothing.rates),
      row('audit: CPU a create with row and seal', 'µs', sealed.cpu),
      row('audit: CPU a create without', 'µs', nothing.cpu),
    ];
  } finally {
    await Promise.all(servers.map(({ child }) => stopChild(child)));
    for (const folder of folders) removeFolder(folder);
  }
};

async function measure({ child, port, rates, cpu }: Server): Promise<void> {
  const before = cpuSeconds(child.pid!).whole;
  const { keys, seconds } = await createKeys(port, SLICE_SECONDS);
  rates.push(keys / seconds);
  cpu.push(((cpuSeconds(child.pid!).whole - before) / keys) * 1e6);
}

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly rates: number[];
  /** Microseconds of all threads for one key: hardly moved by what else runs. */
  readonly cpu: number[];
}

async function start(variant: string, folder: string): Promise<Server> {
  const child = startChild(process.execPath, [SERVER, variant, folder], { core: SERVER_CORE });
  const [text] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, port: Number(text.toString()), rates: [], cpu: [] };
}
