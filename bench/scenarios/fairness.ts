import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { Lane } from '../lane.ts';
import { PacedLoad } from '../paced-load.ts';
import { unknownKeys } from '../refused-keys.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';

const KEYS = 1_000;
const PER_SECOND = 500;
const SECONDS = 1;
/** Longer than the measurement beside it. */
const FLOOD_SECONDS = 5;
const FLOOD = { connections: 40, keysPerCall: 1_000 };

/** Single validations with one access key, alone and beside another's large batches of unknown keys. */
export const fairness: Scenario = async () => {
  const dataset = await freshDataset(KEYS);
  const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
  const unknownFile = writeKeys(dataset.folder, 'unknown', unknownKeys(20_000));
  const server = await startServer(dataset.folder);
  const flood = new Lane({
    ...{ port: server.port, pids: [server.pid], keysFile: unknownFile, ...FLOOD },
    accessKey: await createAccessKey(server),
  });
  const single = await PacedLoad.start(server.port, keysFile, PER_SECOND);
  const p95 = async (): Promise<number> => {
    const { p95Ms, statuses } = await single.drive(SECONDS);
    if (Object.keys(statuses).join() !== '200') throw new Error(JSON.stringify(statuses));
    return p95Ms;
  };
  const three = async () => [await p95(), await p95(), await p95()];
  let alone: number[];
  let beside: number[];
  try {
    alone = await three();
    const flooding = flood.measure(FLOOD_SECONDS);
    [beside] = await Promise.all([three(), flooding]);
  } finally {
    await single.stop();
    await server.stop();
    dataset.remove();
  }
  return [
    row('fairness: p95 beside large batches', '×', ratiosOf(beside, alone), { atMost: 3 }),
    row('  p95 alone', 'ms', alone),
    row('  p95 beside 40 × batches of 1,000 unknown keys', 'ms', beside),
  ];
};

async function createAccessKey({ port }: RunningServer): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/access-keys`, {
    method: 'POST',
    headers: { 'x-api-key': ACCESS_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Large batches', scopes: ['keys:validate'] }),
  });
  if (answer.status !== 201) throw new Error(`An access key was answered with ${answer.status}.`);
  return ((await answer.json()) as { key: string }).key;
}
