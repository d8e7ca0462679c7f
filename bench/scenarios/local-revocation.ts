import { fileURLToPath } from 'node:url';
import { LOAD_CORE, startChild, stopChild } from '../children.ts';
import { freshDataset } from '../dataset.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { median, quantile } from '../statistics.ts';
import { TalkingChild } from '../talking-child.ts';

const CLIENTS = fileURLToPath(new URL('../peers/listening-clients.ts', import.meta.url));
/** A hundred processes would need more memory than they tell: ten of them, with ten clients each. */
const PROCESSES = 10;
const CLIENTS_EACH = 10;

/** From the answer to a revocation to its refusal by every client that validates by itself. */
export const localRevocation: Scenario = async (bench) => {
  const { localRevocations } = bench.scale;
  const dataset = await freshDataset(2 * localRevocations);
  const server = await startServer(dataset.folder, {
    env: { KEYWARD_MANAGEMENT_LIMIT: '1000000' },
  });
  const children: TalkingChild[] = [];
  try {
    for (let n = 0; n < PROCESSES; n++) children.push(startClients(server));
    for (const child of children) await child.hear();
    const delays: number[] = [];
    // Those without a limit are remembered whole.
    for (const key of dataset.keys.filter((_, n) => n % 2 === 1))
      delays.push(...(await revokeOne(server, children, key)));
    return [
      row('local: revocation at 100 clients, p99', 'ms', quantile(delays, 0.99), { atMost: 1_000 }),
      row('local: the slowest client', 'ms', Math.max(...delays)),
      row('local: the median client', 'ms', median(delays)),
      row('local: revocations times clients', '', delays.length),
    ];
  } finally {
    await Promise.all(children.map(({ child }) => stopChild(child)));
    await server.stop();
    dataset.remove();
  }
};

function startClients({ port }: RunningServer): TalkingChild {
  const args = [CLIENTS, `http://127.0.0.1:${port}`, String(CLIENTS_EACH)];
  return new TalkingChild(startChild(process.execPath, args, { core: LOAD_CORE, talks: true }));
}

async function revokeOne(
  { port }: RunningServer,
  children: readonly TalkingChild[],
  key: string,
): Promise<number[]> {
  for (const child of children) {
    const { known } = await child.ask<{ known: number }>(key);
    if (known !== CLIENTS_EACH) throw new Error('A valid key was refused.');
  }
  const answer = await fetch(`http://127.0.0.1:${port}/api-keys/${key}`, {
    method: 'DELETE',
    headers: { 'x-api-key': ACCESS_KEY },
  });
  const revokedAt = Date.now();
  if (answer.status !== 200) throw new Error(`A revocation was answered with ${answer.status}.`);
  const told = await Promise.all(children.map((child) => child.hear<{ refusedAt: number[] }>()));
  return told.flatMap(({ refusedAt }) => refusedAt.map((at) => Math.max(0, at - revokedAt)));
}
