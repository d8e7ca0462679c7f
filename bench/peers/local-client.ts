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
/** Questions under way at once, while it learns. */
const AT_ONCE = 64;
const LEARNT_BEFORE = 1_000;
/** Each is learnt by a call of its own; a slow machine measures fewer of them, not for longer. */
const LEARNING_MS_MAX = 8_000;
/** A process that uses its keys heavily has their leases; until then it grows them. */
const TURNS_TO_GROW = 200;

const memory = (): number => {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
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
// What asking takes once, however many keys there are, is not a key's.
await learn(free.slice(0, LEARNT_BEFORE));
const before = { bytes: memory(), keys: keyward.size };
free.length = LEARNT_BEFORE + (await learn(free.slice(LEARNT_BEFORE)));
const bytesPerKey = (memory() - before.bytes) / (keyward.size - before.keys);
await learn(limited);
const bare = new Map(free.map((value) => [hash('sha256', value, 'latin1'), value.length]));
say({ bytesPerKey, remembered: keyward.size });

const KINDS: Record<string, (turn: number) => unknown> = {
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
  if (kind === 'limited') await growLeases();
  const startedAt = performance.now();
  const endsAt = startedAt + Number(seconds) * 1000;
  const validations = await validateUntil(kind, endsAt);
  say({ perSecond: validations / ((performance.now() - startedAt) / 1000) });
}
await keyward.close();

async function validateUntil(kind: string, endsAt: number): Promise<number> {
  let turns = 0;
  for (; performance.now() < endsAt; turns++) {
    await KINDS[kind]!(turns);
    await nextTurn();
  }
  return turns * TURN;
}

/** Answers whether the server was waited for. */
async function validateTurn(keys: readonly string[], turn: number): Promise<boolean> {
  let hasWaited = false;
  for (let n = 0; n < TURN; n++) {
    const said = keyward.validate(keys[(turn * TURN + n) % keys.length]!);
    if (said instanceof Promise) hasWaited = true;
    const { allowed } = said instanceof Promise ? await said : said;
    if (!allowed) throw new Error('A valid key was refused.');
  }
  return hasWaited;
}

async function growLeases(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_GROW; turn++) {
    const hasWaited = await validateTurn(limited, turn);
    await nextTurn();
    if (!hasWaited) return;
  }
}

/** Answers how many of them there was time for, from the first. */
async function learn(keys: readonly string[]): Promise<number> {
  const endsAt = performance.now() + LEARNING_MS_MAX;
  let next = 0;
  const learnSome = async (): Promise<void> => {
    while (next < keys.length && performance.now() < endsAt) await keyward.validate(keys[next++]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, learnSome));
  return next;
}

function say(figures: object): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
