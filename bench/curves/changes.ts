import { type Changed, changeKeys } from '../changes.ts';
import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { startServer } from '../keyward-server.ts';
import { Lane, p99, perSecond, rssMb } from '../lane.ts';
import { row } from '../rows.ts';
import { takeTurns, upTo } from '../turns.ts';
import { type Curve, seriesOf } from './curve.ts';

/** Validation while keys that are in use are changed, each time in force with the answer. */
export const changes: Curve = async (reach) => {
  const dataset = await freshDataset(reach.workingSet);
  const env = { KEYWARD_MANAGEMENT_LIMIT: '1000000000' };
  const server = await startServer(dataset.folder, { env });
  try {
    const { folder, keys } = dataset;
    const keysFile = writeKeys(folder, 'keys', keys);
    const lanes = reach.changesPerSecond.map((rate) => ({
      rate,
      lane: new Lane({ port: server.port, pids: [server.pid], keysFile }),
      reached: [] as Changed[],
    }));
    await lanes[0]!.lane.warmUp(reach.stretchSeconds, 2 * reach.workingSet);
    await takeTurns(
      upTo(reach.rounds),
      lanes.map(({ rate, lane, reached }) => async () => {
        const changing = changeKeys(server.port, keys, rate);
        await lane.measure(reach.stretchSeconds);
        const changed = await changing.stop();
        if (changed.failures > 0) throw new Error(`${changed.failures} changes failed.`);
        reached.push(changed);
      }),
    );
    return {
      rows: lanes.flatMap(({ rate, lane, reached }) => [
        row(`${rate} changes a second asked for`, 'req/s', lane.figures(perSecond)),
        row(`${rate} changes a second: p99`, 'ms', lane.figures(p99)),
        row(`${rate} changes a second: RSS`, 'MB', lane.figures(rssMb)),
        row(
          `${rate} changes a second: reached`,
          '/s',
          reached.map(({ changes: made, seconds }) => made / seconds),
        ),
      ]),
      picture: {
        title: 'Changes while validating',
        axis: 'changes a second asked for',
        places: reach.changesPerSecond.map(String),
        panels: [
          { unit: 'validations a second', series: [seriesOf('', lanes, perSecond)] },
          { unit: 'p99, ms', series: [seriesOf('', lanes, p99)] },
          { unit: 'RSS, MB', series: [seriesOf('', lanes, rssMb)] },
        ],
      },
    };
  } finally {
    await server.stop();
    dataset.remove();
  }
};
