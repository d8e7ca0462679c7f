import { fileURLToPath } from 'node:url';
import { removeFolder, SERVER_CORE, startChild, stopChild, temporaryFolder } from '../children.ts';
import { createKeys } from '../create-keys.ts';
import { cpuSeconds } from '../process-figures.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { TalkingChild } from '../talking-child.ts';
import { takeTurns, upTo } from '../turns.ts';

const SERVER = fileURLToPath(new URL('../peers/keyward-audited.ts', import.meta.url));
const WARM_SECONDS = 3;
const SLICE_SECONDS = 0.4;
const PAIRS_A_ROUND = 2;

interface Side {
  readonly name: 'audited' | 'nothing';
  readonly rates: number[];
  /** Microseconds of all threads for one key. */
  readonly cpu: number[];
}

/**
 * What the audit row and its sealing cost a change: keys created with and without them by turns, in
 * one process. Two of them differ by more than this, compiled and laid out by chance as they are.
 */
export const audit: Scenario = async (bench) => {
  const folder = temporaryFolder();
  const child = startChild(process.execPath, [SERVER, folder], { core: SERVER_CORE, talks: true });
  const server = new TalkingChild(child);
  const audited: Side = { name: 'audited', rates: [], cpu: [] };
  const nothing: Side = { name: 'nothing', rates: [], cpu: [] };
  try {
    const { port } = await server.hear<{ port: number }>();
    const sliceOf =
      ({ name, rates, cpu }: Side, seconds: number) =>
      async () => {
        await server.ask(name);
        const before = cpuSeconds(child.pid!).whole;
        const made = await createKeys(port, seconds);
        // What was made has to be sealed by whoever made it.
        const sealingAt = performance.now();
        await server.ask('seal');
        const sealing = (performance.now() - sealingAt) / 1000;
        rates.push(made.keys / (made.seconds + sealing));
        cpu.push(((cpuSeconds(child.pid!).whole - before) / made.keys) * 1e6);
      };
    bench.say('warming up');
    const unmeasured = { rates: [], cpu: [] };
    for (const name of ['nothing', 'audited'] as const)
      await sliceOf({ name, ...unmeasured }, WARM_SECONDS)();
    for (const _ of bench.rounds('pairs'))
      await takeTurns(upTo(PAIRS_A_ROUND), [
        sliceOf(audited, SLICE_SECONDS),
        sliceOf(nothing, SLICE_SECONDS),
      ]);
  } finally {
    await stopChild(child);
    removeFolder(folder);
  }
  return [
    estimate(
      'audit: creates with row and seal against none',
      ratiosOf(audited.rates, nothing.rates),
      { atLeast: 0.9 },
    ),
    estimate('audit: CPU a create against none', ratiosOf(audited.cpu, nothing.cpu)),
    row('audit: creates with row and seal', '/s', audited.rates),
    row('audit: creates without', '/s', nothing.rates),
    row('audit: CPU a create with row and seal', 'µs', audited.cpu),
    row('audit: CPU a create without', 'µs', nothing.cpu),
  ];
};
