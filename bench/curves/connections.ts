import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { startServer } from '../keyward-server.ts';
import { Lane, p50, p99, perSecond, rssMb } from '../lane.ts';
import { row } from '../rows.ts';
import { takeTurns, upTo } from '../turns.ts';
import { type Curve, seriesOf } from './curve.ts';

/** The same server, asked by few and by many at once. */
export const connections: Curve = async (reach) => {
  const dataset = await freshDataset(reach.workingSet);
  const server = await startServer(dataset.folder);
  try {
    const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
    const common = { port: server.port, pids: [server.pid], keysFile };
    const lanes = reach.connections.map((count) => ({
      count,
      lane: new Lane({ ...common, connections: count }),
    }));
    await new Lane(common).warmUp(reach.stretchSeconds, 2 * reach.workingSet);
    await takeTurns(
      upTo(reach.rounds),
      lanes.map(
        ({ lane }) =>
          () =>
            lane.measure(reach.stretchSeconds),
      ),
    );
    return {
      rows: lanes.flatMap(({ count, lane }) => [
        row(`${count} connections`, 'req/s', lane.figures(perSecond)),
        row(`${count} connections: p50`, 'ms', lane.figures(p50)),
        row(`${count} connections: p99`, 'ms', lane.figures(p99)),
        row(`${count} connections: RSS`, 'MB', lane.figures(rssMb)),
      ]),
      picture: {
        title: 'Connections',
        axis: 'connections',
        places: reach.connections.map(String),
        panels: [
          { unit: 'validations a second', series: [seriesOf('', lanes, perSecond)] },
          {
            unit: 'ms, all of them busy',
            series: [seriesOf('p50', lanes, p50), seriesOf('p99', lanes, p99)],
          },
          { unit: 'RSS, MB', series: [seriesOf('', lanes, rssMb)] },
        ],
      },
    };
  } finally {
    await server.stop();
    dataset.remove();
  }
};
