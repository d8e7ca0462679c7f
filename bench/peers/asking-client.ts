import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Keyward } from 'keyward';
import { ACCESS_KEY } from '../keyward-server.ts';

/**
 * A process that asks the server about every key, by the ordinary client, as an API with so many
 * requests under way would. Arguments: the server's address and a file of keys. Answers each line, a
 * number of seconds, with validations a second and its own CPU for one.
 */
const [url = '', keysFile = ''] = process.argv.slice(2);
const keys = readFileSync(keysFile, 'utf8').trim().split('\n');
const AT_ONCE = 32;

const keyward = new Keyward({ url, accessKey: ACCESS_KEY, onUnavailable: 'deny' });
let next = 0;

for await (const line of createInterface({ input: process.stdin })) {
  const startedAt = performance.now();
  const endsAt = startedAt + Number(line) * 1000;
  const before = { asked: next, cpu: process.cpuUsage() };
  await Promise.all(Array.from({ length: AT_ONCE }, () => askUntil(endsAt)));
  const asked = next - before.asked;
  const { user, system } = process.cpuUsage(before.cpu);
  const figures = {
    perSecond: asked / ((performance.now() - startedAt) / 1000),
    cpuMicros: (user + system) / asked,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

async function askUntil(endsAt: number): Promise<void> {
  while (performance.now() < endsAt) {
    const { allowed } = await keyward.validate(keys[next++ % keys.length]!);
    if (!allowed) throw new Error('A valid key was refused.');
  }
}
