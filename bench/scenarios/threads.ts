import { bare } from '../contenders/bare.ts';
import type { Contender } from '../contenders/contender.ts';
import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { cpuPerMillion, Lane, p99, p999, perSecond } from '../lane.ts';
import { answerTo } from '../our-answer.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { median, ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';

/** What the second thread should give, and what it gave to a bare server when that was said. */
const GAIN = 1.5;
const BARE_GAIN = 1.65;
/** However little a bare server gains in a slow minute: a second thread that gives less is not worth having. */
const LEAST_GAIN = 1.1;

/** Of a stretch: four of them are a pair, which should see one machine. */
const TURN_SHARE = 0.5;

/**
 * Two threads on one port against one, with the load on the same cores: nothing is pinned. The load
 * takes its part of them, so that no server can double: how much one can gain at most is seen from
 * what a bare server gains in the same turns.
 */
export const threads: Scenario = async (bench) => {
  const { sharedKeys, stretchSeconds } = bench.scale;
  const datasets = [await freshDataset(sharedKeys), await freshDataset(sharedKeys)];
  const servers: RunningServer[] = [];
  const peers: Contender[] = [];
  try {
    const lanes: Lane[] = [];
    for (const [n, { folder, keys }] of datasets.entries()) {
      const env = { KEYWARD_THREADS: String(n + 1) };
      const server = await startServer(folder, { env, core: null });
      servers.push(server);
      const keysFile = writeKeys(folder, 'keys', keys);
      lanes.push(new Lane({ port: server.port, pids: [server.pid], keysFile, core: null }));
    }
    const [one, two] = lanes as [Lane, Lane];
    const { folder, keys } = datasets[0]!;
    const answers = [await answerTo(servers[0]!, keys[0]!), await answerTo(servers[0]!, keys[1]!)];
    const keysFile = writeKeys(folder, 'keys', keys);
    for (const n of [1, 2])
      peers.push(await bare(folder, `threads-${n}`, answers, keysFile, { threads: n }));
    const [bareOne, bareTwo] = peers.map(({ lane }) => lane) as [Lane, Lane];
    bench.say('warming up');
    // Each thread must have met each key.
    for (const lane of lanes) await lane.warmUp(2 * stretchSeconds, 3 * sharedKeys);
    for (const lane of [bareOne, bareTwo]) await lane.warmUp(stretchSeconds);
    await takeTurns(
      bench.rounds('pairs'),
      [two, one, bareTwo, bareOne].map((lane) => () => lane.measure(TURN_SHARE * stretchSeconds)),
    );
    const bareGains = ratiosOf(bareTwo.figures(perSecond), bareOne.figures(perSecond));
    const possible = gainAtMost(
      median(one.figures(cpuPerMillion)),
      median(bareOne.figures(cpuPerMillion)),
      median(bareGains),
    );
    return [
      estimate(
        'threads: two against one',
        ratiosOf(two.figures(perSecond), one.figures(perSecond)),
        { atLeast: Math.max(LEAST_GAIN, Math.min(GAIN, (possible * GAIN) / BARE_GAIN)) },
      ),
      estimate('  bare node:http: two threads against one', bareGains),
      row('  what two threads could gain at most', '×', possible),
      row('Keyward, two threads beside their load', 'req/s', two.figures(perSecond)),
      row('Keyward, one thread beside its load', 'req/s', one.figures(perSecond)),
      row('two threads: p99', 'ms', two.figures(p99)),
      row('two threads: p99.9', 'ms', two.figures(p999)),
      row('two threads: CPU per million', 's', two.figures(cpuPerMillion)),
      row('one thread: CPU per million', 's', one.figures(cpuPerMillion)),
      row('two threads: RSS', 'MB', two.rssBytes() / 2 ** 20),
      row('one thread: RSS', 'MB', one.rssBytes() / 2 ** 20),
    ];
  } finally {
    await Promise.all([...servers, ...peers].map((each) => each.stop()));
    for (const dataset of datasets) dataset.remove();
  }
};

/**
 * A call costs the server `own` and its caller something: one thread answers 1/own, two answer
 * 2/(own + caller's). What the caller's is follows from what a bare server gains.
 */
function gainAtMost(own: number, bareOwn: number, bareGain: number): number {
  const callers = bareOwn * (2 / bareGain - 1);
  return (2 * own) / (own + callers);
}
