import { kill } from 'node:process';
import { fileURLToPath } from 'node:url';
import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { startServer } from '../keyward-server.ts';
import { cpuPerMillion, Lane, perSecond } from '../lane.ts';
import { untilIdle } from '../process-figures.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns, upTo } from '../turns.ts';

const DEAF_BY_TURNS = fileURLToPath(new URL('../peers/deaf-by-turns.ts', import.meta.url));
/** Of a stretch: several flushes, since the last of a turn writes less than it could. */
const TURN_SHARE = 1.25;
const SETTLED_WITHIN_MS = 5_000;
/** The compiler has seen both ways before they are measured. */
const WARM_TURNS = 2;

/**
 * What counting costs: one server on the same keys, with its tally and deaf to it by turns. Two
 * processes would differ by as much as is looked for: each compiles the same code in its own way. What
 * a turn counted is written within its pause, and speed is what it answered for a second of CPU, the
 * writer's included.
 */
export const usageTally: Scenario = async (bench) => {
  const { cachedKeys } = bench.scale;
  const turnSeconds = TURN_SHARE * bench.scale.stretchSeconds;
  const dataset = await freshDataset(cachedKeys);
  const server = await startServer(dataset.folder, { nodeFlags: ['--import', DEAF_BY_TURNS] });
  try {
    const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
    const lane = () => new Lane({ port: server.port, pids: [server.pid], keysFile });
    const [on, off, warm] = [lane(), lane(), lane()];
    let deaf = false;
    const hear = (wanted: boolean) => {
      if (deaf !== wanted) return;
      kill(server.pid, 'SIGUSR2');
      deaf = !wanted;
    };
    const turn = (wanted: boolean, measure: () => Promise<unknown>) => () => {
      hear(wanted);
      return measure();
    };
    bench.say('warming up');
    await warm.fill(cachedKeys);
    // First uses are recorded and told of, once in the life of a key: that is not counting.
    await untilIdle(server.pid, SETTLED_WITHIN_MS);
    const warming = () => warm.drive(turnSeconds);
    await takeTurns(upTo(WARM_TURNS), [turn(true, warming), turn(false, warming)]);
    bench.say('rounds');
    await takeTurns(bench.rounds('pairs'), [
      turn(true, () => on.measure(turnSeconds)),
      turn(false, () => off.measure(turnSeconds)),
    ]);
    // Without a tally first: whoever costs less is faster.
    const speeds = ratiosOf(off.figures(cpuPerMillion), on.figures(cpuPerMillion));
    return [
      estimate('usage-tally: speed against no tally', speeds, { atLeast: 0.95 }),
      // The median leaves out the turns in which a minute's journal was added; this does not.
      row('  by all their CPU together', '×', cpuOfAll(off) / cpuOfAll(on)),
      row('usage-tally: requests', '/s', on.figures(perSecond)),
      row('  without a tally: requests', '/s', off.figures(perSecond)),
      row('usage-tally: CPU per million', 's', on.figures(cpuPerMillion)),
      row('  without a tally: CPU per million', 's', off.figures(cpuPerMillion)),
    ];
  } finally {
    await server.stop();
    dataset.remove();
  }
};

/** A request, over all turns of a lane. */
function cpuOfAll(lane: Lane): number {
  const sum = (figures: readonly number[]): number => figures.reduce((all, each) => all + each, 0);
  return sum(lane.figures(({ cpu }) => cpu.whole)) / sum(lane.figures(({ requests }) => requests));
}
