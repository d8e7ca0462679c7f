import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { startServer } from '../keyward-server.ts';
import { Lane, perSecond, rssMb } from '../lane.ts';
import { malformedKeys, unknownKeys } from '../refused-keys.ts';
import { row } from '../rows.ts';
import { seeding } from '../seed.ts';
import { takeTurns, upTo } from '../turns.ts';
import { validateEach } from '../validate-each.ts';
import { type Curve, seriesOf } from './curve.ts';
import { mix } from './mix.ts';

const LIMITED = 1_000;
const LIMIT_SECONDS = 86_400;

/** Ever more keys that are refused: over their limit, unknown, or malformed. */
export const refusals: Curve = async (reach) => {
  const dataset = await freshDataset(reach.workingSet);
  tighten(dataset.folder);
  const server = await startServer(dataset.folder);
  try {
    const { folder, keys } = dataset;
    const limited = keys.slice(-LIMITED);
    const good = keys.slice(0, -LIMITED);
    // Each had its one request: from here on all are over their limit.
    await validateEach(server.port, limited);
    const kinds = {
      'over the limit': limited,
      unknown: unknownKeys(reach.workingSet),
      malformed: malformedKeys(LIMITED),
    };
    const lanes = Object.entries(kinds).map(([kind, some]) =>
      reach.shares.map((share) => {
        const mixed = mix(good, some, share, reach.workingSet);
        const keysFile = writeKeys(folder, `${kind}-${share}`, mixed);
        const common = { port: server.port, pids: [server.pid], keysFile };
        return { kind, share, lane: new Lane({ ...common, refuses: share > 0 ? 'some' : 'none' }) };
      }),
    );
    const all = lanes.flat();
    await all[0]!.lane.warmUp(reach.stretchSeconds, 2 * reach.workingSet);
    await takeTurns(
      upTo(reach.rounds),
      all.map(
        ({ lane }) =>
          () =>
            lane.measure(reach.stretchSeconds),
      ),
    );
    return {
      rows: all.flatMap(({ kind, share, lane }) => [
        row(`${share * 100} % ${kind}`, 'req/s', lane.figures(perSecond)),
        row(`${share * 100} % ${kind}: RSS`, 'MB', lane.figures(rssMb)),
      ]),
      picture: {
        title: 'Keys that are refused',
        axis: 'share of the requests',
        places: reach.shares.map((share) => `${share * 100} %`),
        panels: [
          {
            unit: 'answers a second',
            series: lanes.map((each) => seriesOf(each[0]!.kind, each, perSecond)),
          },
          { unit: 'RSS, MB', series: lanes.map((each) => seriesOf(each[0]!.kind, each, rssMb)) },
        ],
      },
    };
  } finally {
    await server.stop();
    dataset.remove();
  }
};

/** The last keys get one request a day. */
const tighten = (folder: string): void =>
  seeding(folder, (database) =>
    database.exec(`UPDATE api_keys SET rate_limit = 1, rate_limit_ttl = ${LIMIT_SECONDS}
      WHERE seq > (SELECT max(seq) FROM api_keys) - ${LIMITED}`),
  );
