import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { startServer } from '../keyward-server.ts';
import { Lane, p50, p99, perSecond } from '../lane.ts';
import { row } from '../rows.ts';
import { median } from '../statistics.ts';
import { takeTurns } from '../turns.ts';
import { type Curve, upTo } from './curve.ts';

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
      ]),
      picture: {
        title: 'Connections',
        axis: 'connections',
        places: reach.connections.map(String),
        panels: [
          {
            unit: 'validations a second',
            series: [
              {
                label: 'Keyward',
                values: lanes.map(({ lane }) => median(lane.figures(perSecond))),
              },
            ],
          },
          {
            unit: 'ms, all of them busy',
            series: [
              { label: 'p50', values: lanes.map(({ lane }) => median(lane.figures(p50))) },
              { label: 'p99', values: lanes.map(({ lane }) => median(lane.figures(p99))) },
            ],
          },
        ],
      },
    };
  } finally {
    await server.stop();
    dataset.remove();
  }
};
