import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bare } from '../contenders/bare.ts';
import { betterAuth } from '../contenders/better-auth.ts';
import type { Absent, Contender, Course } from '../contenders/contender.ts';
import { fastify } from '../contenders/fastify.ts';
import { haproxy } from '../contenders/haproxy.ts';
import { nginx } from '../contenders/nginx.ts';
import { type Dataset, freshDataset } from '../dataset.ts';
import { flameOf } from '../flame.ts';
import { collectGarbage, inspectorFlags, profileDuring } from '../inspector.ts';
import { writeKeys } from '../keys-file.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { Lane } from '../lane.ts';
import { answerTo } from '../our-answer.ts';
import { settledRss } from '../process-figures.ts';
import { profileReport } from '../profile.ts';
import { malformedKeys, unknownKeys } from '../refused-keys.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { flameChart } from '../svg/flame-chart.ts';
import { takeTurns, upTo } from '../turns.ts';
import { validationRows } from './validation-rows.ts';

const BATCH = 100;
/** Of a stretch: short, so that neighbours see the same machine. */
const DUEL_SHARE = 0.5;
/** Peers differ by half, and need no more to be told apart. */
const RACE_SHARE = 0.75;
const PROFILE_SECONDS = 5;
/** Of unknown keys, all different: memory may not follow them. */
const FLOOD_STRETCHES = 3;
/** Twice as many as are answered on a fast machine. */
const UNKNOWN_PER_SECOND = 40_000;

/** Known keys in rotation, those that are refused, and the peers, all by turns in one run. */
export const validation: Scenario = async (bench) => {
  const dataset = await freshDataset(bench.scale.cachedKeys);
  const inspector = await inspectorFlags();
  const server = await startServer(dataset.folder, { nodeFlags: inspector.flags });
  const peers: Contender[] = [];
  const refusing: Contender[] = [];
  try {
    const lanes = await ourLanes(bench, server, dataset);
    const course = await courseOf(bench, server, dataset, lanes.keysFile);
    const absent = await gather(course, peers);
    const refusals = {
      malformed: await bareFor('malformed', server, dataset, lanes.malformedKeys),
      unknown: await bareFor('unknown', server, dataset, lanes.unknownKeys),
    };
    refusing.push(refusals.malformed, refusals.unknown);
    const { ours, duel, malformed, unknown, batch } = lanes;
    const others = peers.slice(1);
    const bareDuel = peers[0]!.lane;
    // Whoever is compared stands next to one another.
    const refused = [malformed, refusals.malformed.lane, unknown, refusals.unknown.lane];
    const racing = [ours, ...others.map(({ lane }) => lane), ...refused];
    const { stretchSeconds, cachedKeys } = bench.scale;
    bench.say('warming up');
    await ours.fill(cachedKeys);
    // Once round more, so that the compiler sees hits.
    await ours.warmUp(2 * stretchSeconds, cachedKeys);
    const raceSeconds = RACE_SHARE * stretchSeconds;
    for (const lane of [bareDuel, ...racing]) await lane.warmUp(raceSeconds);
    await batch.warmUp(2 * stretchSeconds);
    bench.say('duel');
    await takeTurns(
      upTo(bench.scale.duels),
      [batch, duel, bareDuel].map((lane) => () => lane.measure(DUEL_SHARE * stretchSeconds)),
    );
    bench.say('race');
    await takeTurns(
      bench.rounds(),
      racing.map((lane) => () => lane.measure(raceSeconds)),
    );
    bench.say('flood');
    const flood = await floodOf(server, inspector.port, unknown, stretchSeconds);
    if (unknown.asked > lanes.unknownCount) throw new Error('An unknown key was asked for twice.');
    if (bench.profileFile !== null) await profile(bench, inspector.port, ours);
    return validationRows({
      ...{ ours, duel, bare: peers[0]!, malformed, unknown, batch, keysPerBatch: BATCH },
      bareMalformed: refusals.malformed.lane,
      bareUnknown: refusals.unknown.lane,
      ...{ peers: others, absent, flood },
    });
  } finally {
    await Promise.all([...peers, ...refusing].map((peer) => peer.stop()));
    await server.stop();
    dataset.remove();
  }
};

async function ourLanes({ scale }: Bench, { port, pid }: RunningServer, dataset: Dataset) {
  const { folder, keys } = dataset;
  // More than a run asks for, so that each is asked for once: warm-up, race, and the flood.
  const stretches = scale.rounds.most + FLOOD_STRETCHES + 2;
  const unknownCount = stretches * scale.stretchSeconds * UNKNOWN_PER_SECOND;
  const keysFile = writeKeys(folder, 'keys', keys);
  const malformedFile = writeKeys(folder, 'malformed', malformedKeys(1_000));
  const unknownFile = writeKeys(folder, 'unknown', unknownKeys(unknownCount));
  const server = { port, pids: [pid] };
  return {
    ours: new Lane({ ...server, keysFile }),
    /** The same against batches and the bare server, often and side by side. */
    duel: new Lane({ ...server, keysFile }),
    malformed: new Lane({ ...server, keysFile: malformedFile, refuses: 'all' }),
    unknown: new Lane({ ...server, keysFile: unknownFile, refuses: 'all' }),
    batch: new Lane({ ...server, keysFile, keysPerCall: BATCH }),
    keysFile,
    malformedKeys: malformedFile,
    unknownKeys: unknownFile,
    unknownCount,
  };
}

async function courseOf(
  { scale }: Bench,
  server: RunningServer,
  { folder, keys }: Dataset,
  keysFile: string,
): Promise<Course> {
  const limited = await answerTo(server, keys[0]!);
  const free = await answerTo(server, keys[1]!);
  for (const { status } of [limited, free])
    if (status !== 200) throw new Error(`A known key was answered with ${status}.`);
  const answersFile = join(folder, 'answers.json');
  writeFileSync(answersFile, JSON.stringify([limited, free]));
  const { peerKeys } = scale;
  return { folder, keys, keysFile, answers: [limited, free], answersFile, peerKeys };
}

/** Starts whoever is there, into `peers`; answers who is not. */
async function gather(course: Course, peers: Contender[]): Promise<Absent[]> {
  const absent: Absent[] = [];
  peers.push(await bare(course.folder, 'known', course.answers, course.keysFile));
  for (const start of [fastify, nginx, haproxy, betterAuth]) {
    const peer = await start(course);
    if ('absent' in peer) absent.push(peer);
    else peers.push(peer);
  }
  return absent;
}

/** A bare server that answers what we answer to a key that is refused. */
async function bareFor(
  kind: 'malformed' | 'unknown',
  server: RunningServer,
  { folder }: Dataset,
  keysFile: string,
): Promise<Contender> {
  const [key] = kind === 'malformed' ? malformedKeys(1) : unknownKeys(1);
  return bare(folder, kind, [await answerTo(server, key!)], keysFile);
}

async function floodOf(
  { pid }: RunningServer,
  inspector: number,
  unknown: Lane,
  seconds: number,
): Promise<{ growth: number }> {
  // Without garbage: a heap breathes more than what is looked for.
  const kept = async (): Promise<number> => {
    await collectGarbage(inspector);
    return settledRss(pid, 5, 100);
  };
  // What the others left behind goes first: of this alone is asked what it leaves.
  await unknown.drive(seconds);
  const before = await kept();
  for (let n = 0; n < FLOOD_STRETCHES; n++) await unknown.drive(seconds);
  return { growth: (await kept()) - before };
}

async function profile({ profileFile, say }: Bench, port: number, ours: Lane): Promise<void> {
  const taken = await profileDuring(port, () => ours.drive(PROFILE_SECONDS));
  if (profileFile !== null) {
    writeFileSync(profileFile, JSON.stringify(taken));
    const subtitle = 'The thread that answers requests, validating known keys; wider is more time.';
    const picture = flameChart('Where the time of a validation goes', subtitle, flameOf(taken));
    writeFileSync(profileFile.replace(/\.cpuprofile$/, '.svg'), picture);
  }
  say(`time of the requests' thread by function:\n${profileReport(taken)}`);
}
