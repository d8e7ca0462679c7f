import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LocalKeyward } from 'keyward/local';
import { ACCESS_KEY } from '../keyward-server.ts';

/**
 * A process that validates keys itself. Arguments: the server's address, a file of keys without a
 * limit and one of limited keys. Learns them all, tells what they take in memory, and then answers
 * each line `bare|free|limited SECONDS` with validations a second of that kind.
 */
const [url = '', freeFile = '', limitedFile = ''] = process.argv.slice(2);
const readKeys = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');
const free = readKeys(freeFile);
const limited = readKeys(limitedFile);

/** Between two looks at the stream; a turn of these takes a few milliseconds. */
const TURN = 5_000;
const LEARNERS = 32;

const heap = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
const keyward = new LocalKeyward({
  url,
  accessKey: ACCESS_KEY,
  // Room for twice as many: what is used in turn is forgotten where there is less.
  maxKeys: 2 * (free.length + limited.length),
  // The bars are about values that are kept hashed.
  valuesInClear: 0,
  onUnavailable: 'deny',
});
await keyward.ready;
const before = heap();
await learn(free);
const bytesPerKey = (heap() - before) / keyward.size;
await learn(limited);
const bare = new Map(free.map((value) => [hash('sha256', value, 'latin1'), value.length]));
say({ bytesPerKey, remembered: keyward.size });

const KINDS: Record<string, (turn: number) => Promise<void> | void> = {
  bare(turn) {
    for (let n = 0; n < TURN; n++)
      if (bare.get(hash('sha256', free[(turn * TURN + n) % free.length]!, 'latin1')) === undefined)
        throw new Error('A key is missing.');
  },
  free: (turn) => validateTurn(free, turn),
  limited: (turn) => validateTurn(limited, turn),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [kind = '', seconds = ''] = line.split(' ');
  const startedAt = performance.now();
  const endsAt = startedAt + Number(seconds) * 1000;
  let turns = 0;
  for (; performance.now() < endsAt; turns++) {
    await KINDS[kind]!(turns);
    await nextTurn();
  }
  say({ perSecond: (turns * TURN) / ((performance.now() - startedAt) / 1000) });
}
await keyward.close();

async function validateTurn(keys: readonly string[], turn: number): Promise<void> {
  for (let n = 0; n < TURN; n++) {
    const said = keyward.validate(keys[(turn * TURN + n) % keys.length]!);
    const { allowed } = said instanceof Promise ? await said : said;
    if (!allowed) throw new Error('A valid key was refused.');
  }
}

async function learn(keys: readonly string[]): Promise<void> {
  let next = 0;
  const learner = async (): Promise<void> => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) await keyward.validate(key);
  };
  await Promise.all(Array.from({ length: LEARNERS }, learner));
}

function say(figures: object): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
