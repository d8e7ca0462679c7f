import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Keyward } from 'keyward';
import { LocalKeyward } from 'keyward/local';
import { ACCESS_KEY } from '../keyward.ts';

/**
 * Validates keys with the SDK, either in this process or over HTTP. Arguments: server URL, file of
 * keys without a limit. Each input line is `local SECONDS` or `http SECONDS`, answered with the
 * number of validations and the CPU time of this process.
 */
const [url = '', keysFile = ''] = process.argv.slice(2);
const keys = readFileSync(keysFile, 'utf8').trim().split('\n');
const IN_FLIGHT = 32;
/** Validations between two turns of the event loop; takes a few milliseconds. */
const LOCAL_BATCH = 2_000;

const options = { url, accessKey: ACCESS_KEY, onUnavailable: 'deny' } as const;
const remote = new Keyward(options);
const local = new LocalKeyward({ ...options, maxKeys: keys.length });
await local.ready;

let next = 0;
const nextKey = (): string => keys[next++ % keys.length]!;
const requireAllowed = ({ allowed }: { readonly allowed: boolean }): void => {
  if (!allowed) throw new Error('A valid key was refused.');
};

/** Every key is validated once over HTTP, and in this process from then on. */
async function learn(): Promise<void> {
  await inFlight(async () => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++])
      requireAllowed(await local.validate(key));
  });
}

const inFlight = (work: () => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: IN_FLIGHT }, work));

async function validateLocally(endsAt: number): Promise<void> {
  while (performance.now() < endsAt) {
    for (let n = 0; n < LOCAL_BATCH; n++) {
      const result = local.validate(nextKey());
      requireAllowed(result instanceof Promise ? await result : result);
    }
    await nextTurn();
  }
}

async function validateOverHttp(endsAt: number): Promise<void> {
  await inFlight(async () => {
    while (performance.now() < endsAt) requireAllowed(await remote.validate(nextKey()));
  });
}

await learn();
for await (const line of createInterface({ input: process.stdin })) {
  const [kind = '', seconds = ''] = line.split(' ');
  const before = { next, cpu: process.cpuUsage() };
  const endsAt = performance.now() + Number(seconds) * 1000;
  await (kind === 'local' ? validateLocally(endsAt) : validateOverHttp(endsAt));
  const { user, system } = process.cpuUsage(before.cpu);
  process.stdout.write(
    `${JSON.stringify({ validations: next - before.next, cpuMicros: user + system })}\n`,
  );
}
await local.close();
