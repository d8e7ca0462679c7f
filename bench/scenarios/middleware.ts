import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVER_CORE, startChild, stopChild } from '../children.ts';
import { freshDataset } from '../dataset.ts';
import { startServer } from '../keyward-server.ts';
import { loadGenerator } from '../load/index.ts';
import { cpuSeconds } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';

const API = fileURLToPath(new URL('../peers/fastify-api.ts', import.meta.url));
/** One customer's key, as an API sees it again and again. */
const KEYS = 100;
const CONNECTIONS = 64;
const TURNS_PER_ROUND = 3;
const TURN_SECONDS = 1;

interface Api {
  readonly child: ChildProcess;
  readonly port: number;
  /** Microseconds of its process for one request. */
  readonly costs: number[];
}

/** What protecting an API adds to what its requests cost anyway. */
export const middleware: Scenario = async (bench) => {
  const dataset = await freshDataset(KEYS);
  const server = await startServer(dataset.folder);
  const keysFile = join(dataset.folder, 'keys.txt');
  const free = dataset.keys.filter((_, n) => n % 2 === 1);
  writeFileSync(keysFile, `${free.join('\n')}\n`);
  const apis: Api[] = [];
  try {
    for (const kind of ['protected', 'open']) apis.push(await startApi(kind, server.port));
    for (const api of apis) for (let n = 0; n < 3; n++) await drive(api, free[0]!, keysFile);
    for (const { costs } of apis) costs.length = 0;
    for (let turn = 0; turn < TURNS_PER_ROUND * bench.scale.rounds; turn++)
      for (const api of turn % 2 === 0 ? apis : apis.toReversed())
        await drive(api, free[0]!, keysFile);
    const [guarded, open] = apis as [Api, Api];
    return [
      row('middleware: cost of a request, protected', '×', ratiosOf(guarded.costs, open.costs), {
        atMost: 1.05,
      }),
      row('middleware: CPU a request, protected', 'µs', guarded.costs),
      row('middleware: CPU a request, open', 'µs', open.costs),
    ];
  } finally {
    await Promise.all(apis.map(({ child }) => stopChild(child)));
    await server.stop();
    dataset.remove();
  }
};

async function startApi(kind: string, port: number): Promise<Api> {
  const args = [API, kind, `http://127.0.0.1:${port}`];
  const child = startChild(process.execPath, args, { core: SERVER_CORE });
  const [text] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, port: Number(text.toString()), costs: [] };
}

/** The load sends its credential as `x-api-key`: here it is the key of the API's user. */
async function drive({ child, port, costs }: Api, key: string, keysFile: string): Promise<void> {
  const before = cpuSeconds(child.pid!).whole;
  const result = await loadGenerator().drive({
    port,
    keysFile,
    firstKey: 0,
    accessKey: key,
    seconds: TURN_SECONDS,
    connections: CONNECTIONS,
  });
  if (result.failures > 0) throw new Error(`${result.failures} requests failed under load.`);
  costs.push(((cpuSeconds(child.pid!).whole - before) / result.requests) * 1e6);
}
