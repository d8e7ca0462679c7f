import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { removeFolder, startChild, stopChild, temporaryFolder } from '../children.ts';
import { createKeys } from '../create-keys.ts';
import type { Turn } from '../peers/keyward-audited.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { TalkingChild } from '../talking-child.ts';

const SERVER = fileURLToPath(new URL('../peers/keyward-audited.ts', import.meta.url));
/** Until the compiler has seen enough of both sides: it works for some ten seconds. */
const WARM_SECONDS = 12;
/** Of each round. */
const WEIGH_SECONDS = 3;
/** The load begins before and ends after what is weighed. */
const AROUND_SECONDS = 0.5;

interface Weighed {
  readonly turns: readonly { readonly audited: Turn; readonly nothing: Turn }[];
}

/**
 * What the audit row and its sealing cost a change: keys are created without a pause, and one process
 * writes the rows and leaves them out by turns. Two processes differ by more than this, compiled and
 * laid out by chance as they are. Its threads are where the machine puts them, as in `create`, whose
 * rate it is that the row may take a tenth of.
 */
export const audit: Scenario = async (bench) => {
  const folder = temporaryFolder();
  const child = startChild(process.execPath, [SERVER, folder], { core: null, talks: true });
  const server = new TalkingChild(child);
  const audited: Turn[] = [];
  const nothing: Turn[] = [];
  try {
    const { port } = await server.hear<{ port: number }>();
    const weigh = async (seconds: number): Promise<Weighed> => {
      const load = createKeys(port, seconds + 2 * AROUND_SECONDS);
      await sleep(AROUND_SECONDS * 1000);
      const weighed = await server.ask<Weighed>(String(seconds));
      await load;
      return weighed;
    };
    bench.say('warming up');
    await weigh(WARM_SECONDS);
    for (const _ of bench.rounds('pairs'))
      for (const turn of (await weigh(WEIGH_SECONDS)).turns) {
        audited.push(turn.audited);
        nothing.push(turn.nothing);
      }
  } finally {
    await stopChild(child);
    removeFolder(folder);
  }
  return [
    estimate(
      'audit: creates with row and seal against none',
      ratiosOf(audited.map(perSecond), nothing.map(perSecond)),
      { atLeast: 0.9 },
    ),
    estimate('audit: CPU a create against none', ratiosOf(audited.map(cpu), nothing.map(cpu))),
    row('audit: creates with row and seal', '/s', audited.map(perSecond)),
    row('audit: creates without', '/s', nothing.map(perSecond)),
    row('audit: CPU a create with row and seal', 'µs', audited.map(cpu)),
    row('audit: CPU a create without', 'µs', nothing.map(cpu)),
  ];
};

const perSecond = ({ changes, ms }: Turn): number => (changes / ms) * 1000;
/** Microseconds of all threads for one key. */
const cpu = ({ changes, cpuMicros }: Turn): number => cpuMicros / changes;
