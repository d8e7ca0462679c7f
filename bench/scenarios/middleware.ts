import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SERVER_CORE, startChild, stopChild } from '../children.ts';
import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { startServer } from '../keyward-server.ts';
import { cpuPerMillion, Lane } from '../lane.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';

const API = fileURLToPath(new URL('../peers/fastify-api.ts', import.meta.url));
const KEYS = 100;
const WARM_STRETCHES = 3;

/** What protecting an API adds to what its requests cost anyway. */
export const middleware: Scenario = async (bench) => {
  const { stretchSeconds } = bench.scale;
  const dataset = await freshDataset(KEYS);
  const server = await startServer(dataset.folder);
  const free = dataset.keys.filter((_, n) => n % 2 === 1);
  const keysFile = writeKeys(dataset.folder, 'keys', free);
  const children: ChildProcess[] = [];
  const startApi = async (kind: string): Promise<Lane> => {
    const args = [API, kind, `http://127.0.0.1:${server.port}`];
    const child = startChild(process.execPath, args, { core: SERVER_CORE });
    children.push(child);
    const [text] = (await once(child.stdout!, 'data')) as [Buffer];
    const port = Number(text.toString());
    // The load sends its credential as `x-api-key`: here it is the key of the API's user, one
    // customer's, as an API sees it again and again.
    return new Lane({ port, pids: [child.pid!], keysFile, accessKey: free[0]! });
  };
  try {
    const lanes = [await startApi('protected'), await startApi('open')];
    const [guarded, open] = lanes as [Lane, Lane];
    for (const lane of lanes)
      for (let n = 0; n < WARM_STRETCHES; n++) await lane.drive(stretchSeconds);
    await takeTurns(
      bench.rounds('pairs'),
      lanes.map((lane) => () => lane.measure(stretchSeconds)),
    );
    const costs = lanes.map((lane) => lane.figures(cpuPerMillion));
    return [
      estimate('middleware: cost of a request, protected', ratiosOf(costs[0]!, costs[1]!), {
        atMost: 1.05,
      }),
      row('middleware: CPU a request, protected', 'µs', guarded.figures(cpuPerMillion)),
      row('middleware: CPU a request, open', 'µs', open.figures(cpuPerMillion)),
    ];
  } finally {
    await Promise.all(children.map((child) => stopChild(child)));
    await server.stop();
    dataset.remove();
  }
};
