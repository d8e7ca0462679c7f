import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, SERVER_CORE, startChild, stopChild } from '../children.ts';
import { freshDataset } from '../dataset.ts';
import { startServer } from '../keyward-server.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { TalkingChild } from '../talking-child.ts';
import { takeTurns, upTo } from '../turns.ts';

const API = fileURLToPath(new URL('../peers/fastify-api.ts', import.meta.url));
const LOAD = fileURLToPath(new URL('../peers/keep-asking.ts', import.meta.url));
const KEYS = 2;
const CONNECTIONS = 64;
/** Some 5 ms: neighbours see the same machine. */
const SLICE = 300;
/** Weighed together: long enough to pay for their own garbage. */
const SLICES_A_PAIR = 10;
const PAIRS_A_ROUND = 4;
const WARM_PAIRS = 12;
const REST_MS = 1_000;

/**
 * What protecting a route adds to what its requests cost anyway. Both routes are in one process: two
 * of them differ by more than this, compiled and laid out by chance as they are.
 */
export const middleware: Scenario = async (bench) => {
  const dataset = await freshDataset(KEYS);
  const server = await startServer(dataset.folder);
  const start = (core: number, ...args: string[]) =>
    new TalkingChild(startChild(process.execPath, args, { core, talks: true }));
  const api = start(SERVER_CORE, API, `http://127.0.0.1:${server.port}`);
  const { port } = await api.hear<{ port: number }>();
  // One key without a limit, as an API sees one customer's again and again.
  const load = start(LOAD_CORE, LOAD, String(port), dataset.keys[1]!, String(CONNECTIONS));

  const costOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await api.ask<{ cpuMicros: number }>('cpu');
    await work();
    const after = await api.ask<{ cpuMicros: number }>('cpu');
    return after.cpuMicros - before.cpuMicros;
  };
  const pair = async () => {
    const costs = { open: 0, protected: 0 };
    const sliceOf = (kind: keyof typeof costs) => async () => {
      costs[kind] += await costOf(() => load.ask(`/${kind}/orders/42 ${SLICE}`));
    };
    await takeTurns(upTo(SLICES_A_PAIR), [sliceOf('protected'), sliceOf('open')]);
    return costs;
  };
  try {
    const [open, guarded]: [number[], number[]] = [[], []];
    for (const _ of upTo(WARM_PAIRS)) await pair();
    for (const _ of bench.rounds('pairs'))
      for (const __ of upTo(PAIRS_A_ROUND)) {
        const weighed = await pair();
        guarded.push(weighed.protected / (SLICES_A_PAIR * SLICE));
        open.push(weighed.open / (SLICES_A_PAIR * SLICE));
      }
    const atRest = await costOf(() => sleep(REST_MS));
    return [
      estimate('middleware: cost of a request, protected', ratiosOf(guarded, open), {
        atMost: 1.05,
      }),
      row('middleware: CPU a request, protected', 'µs', guarded),
      row('middleware: CPU a request, open', 'µs', open),
      row('middleware: CPU a second without requests', 'ms', atRest / REST_MS),
    ];
  } finally {
    await stopChild(load.child);
    await stopChild(api.child);
    await server.stop();
    dataset.remove();
  }
};
