import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SERVER_CORE, startChild, stopChild } from '../children.ts';
import { freshDataset } from '../dataset.ts';
import { inspectorFlags, profileDuring } from '../inspector.ts';
import { ACCESS_KEY, freePorts, type RunningServer, startServer } from '../keyward-server.ts';
import { type LoadResult, loadGenerator } from '../load/index.ts';
import { type CpuSeconds, cpuSeconds, rssBytes } from '../process-figures.ts';
import { profileReport } from '../profile.ts';
import { type RawAnswer, rawPost } from '../raw-answer.ts';
import { type Row, row } from '../rows.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';

const PEER = fileURLToPath(new URL('../peers/bare-http.ts', import.meta.url));
const CONNECTIONS = 64;
/** Longer than two flushes, so that what one side left behind does not run in the other's time. */
const PAUSE_MS = 800;

interface Side {
  readonly port: number;
  readonly pid: number;
}

interface Measured extends LoadResult {
  readonly cpu: CpuSeconds;
}

/** Known keys in rotation, against a bare node:http server that answers the same bytes. */
export const validation: Scenario = async (bench) => {
  const dataset = await freshDataset(bench.scale.cachedKeys);
  const keysFile = join(dataset.folder, 'keys.txt');
  writeFileSync(keysFile, `${dataset.keys.join('\n')}\n`);
  const inspector = bench.profileFile === null ? null : await inspectorFlags();
  const server = await startServer(dataset.folder, inspector?.flags);
  try {
    const answers = await capture(server, dataset.keys);
    const peer = await startPeer(answers);
    try {
      const drive = driver(keysFile);
      const rows = await race(bench, server, peer, drive);
      if (inspector !== null && bench.profileFile !== null) {
        const seconds = bench.scale.roundSeconds;
        const profile = await profileDuring(inspector.port, () => drive(server, seconds));
        writeFileSync(bench.profileFile, JSON.stringify(profile));
        bench.say(`time of the requests' thread by function:\n${profileReport(profile)}`);
      }
      return rows;
    } finally {
      await peer.stop();
    }
  } finally {
    await server.stop();
    dataset.remove();
  }
};

/** The answer to a limited and to an unlimited key, as the seed makes them in turn. */
async function capture(server: RunningServer, keys: readonly string[]): Promise<RawAnswer[]> {
  const answers = [];
  for (const key of keys.slice(0, 2)) {
    const answer = await rawPost(server.port, `/api-keys/auth/${key}`, ACCESS_KEY);
    if (answer.status !== 200) throw new Error(`A known key was answered with ${answer.status}.`);
    answers.push(answer);
  }
  return answers;
}

async function startPeer(answers: readonly RawAnswer[]): Promise<Side & { stop(): Promise<void> }> {
  const [port] = await freePorts();
  const child = startChild(process.execPath, [PEER, String(port), JSON.stringify(answers)], {
    core: SERVER_CORE,
  });
  await once(child.stdout!, 'data');
  for (const ours of answers) {
    const theirs = await rawPost(port, '/', '');
    if (theirs.byteLength !== ours.byteLength)
      throw new Error(`The peer answers ${theirs.byteLength} bytes, we ${ours.byteLength}.`);
  }
  return { port, pid: child.pid!, stop: () => stopChild(child) };
}

type Drive = (side: Side, seconds: number) => Promise<Measured>;

/** One stretch of load; a request that fails makes the whole measurement worthless. */
function driver(keysFile: string): Drive {
  const load = loadGenerator();
  let firstKey = 0;
  return async ({ port, pid }, seconds) => {
    const before = cpuSeconds(pid);
    const result = await load.drive({
      port,
      keysFile,
      firstKey,
      accessKey: ACCESS_KEY,
      seconds,
      connections: CONNECTIONS,
    });
    firstKey += result.requests;
    if (result.failures > 0) throw new Error(`${result.failures} requests failed under load.`);
    await sleep(PAUSE_MS);
    const after = cpuSeconds(pid);
    const cpu = { whole: after.whole - before.whole, main: after.main - before.main };
    return { ...result, cpu };
  };
}

async function race(bench: Bench, server: Side, peer: Side, drive: Drive): Promise<Row[]> {
  const { rounds, roundSeconds, cachedKeys } = bench.scale;
  bench.say(`warming up with ${loadGenerator().name}`);
  // Twice round: the first fills the cache, the second lets the compiler see hits.
  for (let sent = 0; sent < 2 * cachedKeys; ) sent += (await drive(server, roundSeconds)).requests;
  await drive(peer, roundSeconds);

  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    // Who goes first changes, so that a machine that slows down or speeds up favours neither.
    if (round % 2 === 0) ours.push(await drive(server, roundSeconds));
    theirs.push(await drive(peer, roundSeconds));
    if (round % 2 === 1) ours.push(await drive(server, roundSeconds));
    bench.say(`round ${round + 1}: ${speed(ours.at(-1)!)} against ${speed(theirs.at(-1)!)} req/s`);
  }
  return rowsOf(ours, theirs, rssBytes(server.pid));
}

const perSecond = ({ requests, seconds }: LoadResult): number => requests / seconds;
const p50 = ({ p50Ms }: LoadResult): number => p50Ms;
const p99 = ({ p99Ms }: LoadResult): number => p99Ms;
const speed = (result: LoadResult): string => Math.round(perSecond(result)).toString();
const perMillion = (thread: keyof CpuSeconds) => (each: Measured) =>
  (each.cpu[thread] / each.requests) * 1e6;

function rowsOf(ours: readonly Measured[], theirs: readonly Measured[], rss: number): Row[] {
  const ratios = ratiosOf(ours.map(perSecond), theirs.map(perSecond));
  return [
    row('validation: speed of a bare server', '×', ratios, { atLeast: 0.7 }),
    row('validation: requests', 'req/s', ours.map(perSecond)),
    row('  bare server: requests', 'req/s', theirs.map(perSecond)),
    row('validation: p50', 'ms', ours.map(p50)),
    row('  bare server: p50', 'ms', theirs.map(p50)),
    row('validation: p99', 'ms', ours.map(p99)),
    row('  bare server: p99', 'ms', theirs.map(p99)),
    row('validation: CPU per million', 's', ours.map(perMillion('whole'))),
    row("  of which the requests' thread", 's', ours.map(perMillion('main'))),
    row('  bare server: CPU per million', 's', theirs.map(perMillion('whole'))),
    row('validation: RSS after the load', 'MB', rss / 2 ** 20),
  ];
}
