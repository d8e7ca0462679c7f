import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createDataset } from '../dataset.ts';
import { ACCESS_KEY, startKeyward } from '../keyward.ts';
import { fillCache, Load, writeValidations } from '../load.ts';
import {
  cpuMicros,
  freePorts,
  LOAD_CORE,
  pin,
  rssMb,
  SERVER_CORE,
  startProcess,
  stopProcess,
} from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

const COMMAND = fileURLToPath(new URL('../../server/bin/keyward.mjs', import.meta.url));
/** Number of keys in frequent use: one lease of the edge covers many requests of a key. */
const BUSY_KEYS = 100;
/** Number of keys that are used so rarely that every use needs a lease. */
const RARE_KEYS = 5_000;
const STARTS = 3;
const IDLE_MS = 4_000;
/** An edge reports usage once a second, and returns idle leases. */
const REPORT_PAUSE_MS = 1_500;
/** Leases begin small after each pause; in a turn of this length, that matters little. */
const TURN_SECONDS = 4;

async function startEdge(upstreamPort: number, processes = 1) {
  const [port] = await freePorts();
  const child = startProcess(
    process.execPath,
    [COMMAND, 'edge', '--processes', String(processes)],
    {
      core: SERVER_CORE,
      env: {
        KEYWARD_UPSTREAM_URL: `http://127.0.0.1:${upstreamPort}`,
        KEYWARD_ACCESS_KEY: ACCESS_KEY,
        KEYWARD_EDGE_LISTEN: `127.0.0.1:${port}`,
        KEYWARD_LOG_LEVEL: 'warn',
      },
    },
  );
  child.stdout?.resume();
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`The edge exited with ${child.exitCode}.`);
    await sleep(50);
  }
  const pid = child.pid!;
  return { port, pid, cpuSeconds: cpuMicros(pid) / 1e6, stop: () => stopProcess(child) };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** An edge compared with the server behind it, on the same cached keys, half of them with a limit. */
export const edge: Scenario = async (bench) => {
  const { folder, keys } = await createDataset(RARE_KEYS);
  const busy = keys.slice(0, BUSY_KEYS);
  const keyward = await startKeyward(folder);
  bench.log('starting edges');
  const cpuSeconds: number[] = [];
  const idleMb: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const started = await startEdge(keyward.port);
    cpuSeconds.push(started.cpuSeconds);
    await sleep(IDLE_MS);
    idleMb.push(rssMb(started.pid));
    await started.stop();
  }
  const one = await startEdge(keyward.port);
  const two = await startEdge(keyward.port, 2);
  // One process on each core, as in production; on one core, each would wake up for fewer requests at once.
  const children = childrenOf(two.pid);
  for (const [n, pid] of children.entries()) pin(pid, [SERVER_CORE, LOAD_CORE][n]!);
  const requestsFile = writeValidations(folder, 'busy', busy);
  const common = { requestsFile, pauseMs: REPORT_PAUSE_MS };
  const onServer = new Load({ ...keyward, ...common });
  const onOne = new Load({ ...one, ...common });
  /** 64 connections for each process, as for the single one. */
  const onTwo = new Load({ ...two, ...common, connections: 128 });
  const limited = keys.filter((_, n) => n % 2 === 0);
  const onRare = new Load({
    ...one,
    ...common,
    requestsFile: writeValidations(folder, 'rare', limited),
  });
  /** CPU time of other processes for each request of a turn. */
  const measureCpuOf = async (load: Load, pids: readonly number[]): Promise<number> => {
    const used = () => pids.reduce((sum, pid) => sum + cpuMicros(pid), 0);
    const before = used();
    await load.measure(TURN_SECONDS);
    return (used() - before) / load.samples.at(-1)!.requests;
  };
  bench.log('warming up');
  await fillCache(keyward, keys);
  for (const load of [onServer, onOne, onTwo]) await load.runRequests(100 * BUSY_KEYS);
  await onRare.runRequests(RARE_KEYS);
  const ofTwo: number[] = [];
  const ofLeases: number[] = [];
  await bench.takeTurns([
    () => onServer.measure(TURN_SECONDS),
    () => onOne.measure(TURN_SECONDS),
    async () => ofTwo.push(await measureCpuOf(onTwo, children)),
    async () => ofLeases.push(await measureCpuOf(onRare, [keyward.pid])),
  ]);
  const ofOne = onOne.values('cpuMicrosPerRequest');
  const compared = ratios(onServer.values('cpuMicrosPerRequest'), ofOne);
  return [
    row('validations per CPU second, an edge compared with the server', '×', compared, {
      atLeast: 0.9,
    }),
    row(
      'validations per second of two processes on two cores compared with one, from CPU time',
      '×',
      ratios(ofOne, ofTwo).map((ratio) => 2 * ratio),
      { atLeast: 1.6 },
    ),
    row('edge: CPU until ready', 's', cpuSeconds, { atMost: 0.5 }),
    row('edge: idle RSS', 'MB', idleMb, { atMost: 80 }),
    row('edge: CPU per request', 'µs', ofOne),
    row('CPU of the server per lease of an edge', 'µs', ofLeases),
  ];
};
