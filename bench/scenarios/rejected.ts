import { createDataset, malformedKeys, unknownKeys } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { Load, writeValidations } from '../load.ts';
import { captureResponse, startBare } from '../peers.ts';
import { row } from '../report.ts';
import type { Scale, Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

/** More than a fast machine answers, so that no unknown key is requested twice. */
const UNKNOWN_PER_SECOND = 40_000;

/** Rejected keys, compared with a bare `node:http` server that sends the same response. */
const rejected =
  (kind: string, createKeys: (scale: Scale) => string[], atLeast: number): Scenario =>
  async (bench) => {
    const { turnSeconds } = bench.scale;
    const { folder } = await createDataset(0);
    const keyward = await startKeyward(folder);
    const keys = createKeys(bench.scale);
    const requestsFile = writeValidations(folder, kind, keys);
    const response = await captureResponse(keyward, keys.at(-1)!);
    const bare = await startBare(folder, kind, [response], requestsFile);
    const { port, pid } = keyward;
    const ours = new Load({ port, pid, requestsFile, expects: 'rejection' });
    for (const load of [ours, bare.load]) await load.run(2 * turnSeconds);
    await bench.takeTurns([ours, bare.load].map((load) => () => load.measure(turnSeconds)));
    const cpu = ratios(bare.load.values('cpuMicrosPerRequest'), ours.values('cpuMicrosPerRequest'));
    return [
      row(`${kind} keys per CPU second compared with bare node:http`, '×', cpu, { atLeast }),
      row(`${kind} keys`, 'requests/s', ours.values('perSecond')),
      row(`${kind} keys: CPU per request`, 'µs', ours.values('cpuMicrosPerRequest')),
    ];
  };

export const malformed = rejected('malformed', () => malformedKeys(1_000), 0.8);

export const unknown = rejected(
  'unknown',
  ({ rounds, turnSeconds }) => unknownKeys((rounds + 2) * turnSeconds * UNKNOWN_PER_SECOND),
  0.4,
);
