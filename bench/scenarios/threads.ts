import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { cpuPerMillion, Lane, p99, p999, perSecond } from '../lane.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';

/** Two threads on one port against one, with the load on the same cores: nothing is pinned. */
export const threads: Scenario = async (bench) => {
  const { sharedKeys, stretchSeconds } = bench.scale;
  const datasets = [await freshDataset(sharedKeys), await freshDataset(sharedKeys)];
  const servers: RunningServer[] = [];
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
    bench.say('warming up');
    // Each thread must have met each key.
    for (const lane of lanes) await lane.warmUp(2 * stretchSeconds, 3 * sharedKeys);
    await takeTurns(
      bench.rounds('pairs'),
      [two, one].map((lane) => () => lane.measure(stretchSeconds)),
    );
    return [
      estimate(
        'threads: two against one',
        ratiosOf(two.figures(perSecond), one.figures(perSecond)),
        {
          atLeast: 1.5,
        },
      ),
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
    await Promise.all(servers.map((server) => server.stop()));
    for (const dataset of datasets) dataset.remove();
  }
};
