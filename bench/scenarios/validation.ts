import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../../scripts/test-tools.ts';
import { createDataset } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { fillCache, Load, writeValidations } from '../load.ts';
import {
  captureResponse,
  type Peer,
  type PeerInput,
  program,
  startBare,
  startPeer,
} from '../peers.ts';
import { rssMb } from '../processes.ts';
import { haproxyArguments, nginxArguments } from '../proxies.ts';
import { notMeasured, type Row, row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

const BETTER_AUTH = 'better-auth verifyApiKey';
const TARGETS: Readonly<Record<string, { atLeast: number }>> = {
  'bare node:http': { atLeast: 1 },
  [BETTER_AUTH]: { atLeast: 20 },
};

/** Cached keys in rotation, half of them with a rate limit, on Keyward and on other servers. */
export const validation: Scenario = async (bench) => {
  const { cachedKeys, peerKeys, turnSeconds } = bench.scale;
  const { folder, keys } = await createDataset(cachedKeys);
  const keyward = await startKeyward(folder);
  const requestsFile = writeValidations(folder, 'validations', keys);
  const responses = [
    await captureResponse(keyward, keys[0]!),
    await captureResponse(keyward, keys[1]!),
  ] as const;
  const input: PeerInput = { folder, keys, requestsFile, responses };
  bench.log('starting the other servers');
  const bare = await startBare(folder, 'known', responses, requestsFile);
  const { peers, missing } = await startOthers(input, peerKeys);
  const ours = new Load({ port: keyward.port, pid: keyward.pid, requestsFile });

  bench.log('warming up');
  await fillCache(keyward, keys);
  // Once more, so that the compiler sees cache hits.
  await ours.runRequests(cachedKeys);
  const all: Peer[] = [{ name: 'Keyward', load: ours, pid: keyward.pid }, bare, ...peers];
  for (const { load } of all) await load.run(turnSeconds);
  await bench.takeTurns(
    all.map(
      ({ load }) =>
        () =>
          load.measure(turnSeconds),
    ),
  );

  const p99 = ratios(ours.values('p99Ms'), bare.load.values('p99Ms'));
  return [
    ...[bare, ...peers].map(({ name, load }) =>
      row(`validations per CPU second compared with ${name}`, '×', cpuRatios(load), TARGETS[name]),
    ),
    row('validation p99 compared with bare node:http', '×', p99, { atMost: 2 }),
    ...all.flatMap(figures),
    ...missing,
  ];

  function cpuRatios(theirs: Load): number[] {
    return ratios(theirs.values('cpuMicrosPerRequest'), ours.values('cpuMicrosPerRequest'));
  }
};

const figures = ({ name, load, pid }: Peer): Row[] => [
  row(name, 'requests/s', load.values('perSecond')),
  row(`${name}: CPU per request`, 'µs', load.values('cpuMicrosPerRequest')),
  row(`${name}: p99`, 'ms', load.values('p99Ms')),
  row(`${name}: RSS`, 'MB', rssMb(pid)),
];

async function startOthers(input: PeerInput, peerKeys: number) {
  const { folder, keys, requestsFile, responses } = input;
  const inputFile = join(folder, 'input.json');
  writeFileSync(inputFile, JSON.stringify(input));
  const common = {
    requestsFile,
    firstPath: () => `/api-keys/auth/${keys[0]}`,
    response: responses[0],
  };
  const peers: Peer[] = [];
  const missing: Row[] = [];
  peers.push(
    await startPeer({
      ...common,
      name: 'Fastify with a Map',
      args: (port) => [program('fastify-map'), String(port), inputFile],
    }),
  );
  for (const { name, command, args } of [
    { name: 'nginx with a map and limit_req', command: 'nginx', args: nginxArguments },
    { name: 'HAProxy with a map and a stick table', command: 'haproxy', args: haproxyArguments },
  ]) {
    const path = findOnPath([command]);
    if (path === null) missing.push(notMeasured(name, `${command} is not installed`));
    else
      peers.push(
        await startPeer({ ...common, name, command: path, args: (port) => args(input, port) }),
      );
  }
  // better-auth creates its own keys and writes the requests before it listens.
  const ownRequests = join(folder, 'better-auth.requests');
  peers.push(
    await startPeer({
      ...common,
      name: BETTER_AUTH,
      requestsFile: ownRequests,
      args: (port) => [
        ...[program('better-auth'), String(port), inputFile, ownRequests, String(peerKeys)],
      ],
      firstPath: () => readFileSync(ownRequests, 'utf8').split('\n', 1)[0]!,
    }),
  );
  return { peers, missing };
}
