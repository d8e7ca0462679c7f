import { createInterface } from 'node:readline';
import { LocalKeyward } from 'keyward/local';
import { ACCESS_KEY } from '../keyward-server.ts';

/**
 * So many clients that validate themselves. Each line is a key: they learn it, say `{"known": n}`,
 * and when each of them refuses it, say when on the clock that all processes of a machine share.
 */
const [url = '', count = ''] = process.argv.slice(2);
const LOOK_EVERY_MS = 2;
const options = { url, accessKey: ACCESS_KEY, onUnavailable: 'deny' as const };
const clients = Array.from({ length: Number(count) }, () => new LocalKeyward(options));
await Promise.all(clients.map((client) => client.ready));
say({ clients: clients.length });

for await (const key of createInterface({ input: process.stdin })) {
  const first = await Promise.all(clients.map((client) => client.validate(key)));
  say({ known: first.filter(({ allowed }) => allowed).length });
  say({ refusedAt: await Promise.all(clients.map((client) => refusal(client, key))) });
}
await Promise.all(clients.map((client) => client.close()));

/** Looked at from time to time, as an API gets requests from time to time. */
async function refusal(client: LocalKeyward, key: string): Promise<number> {
  for (;;) {
    const { allowed } = await client.validate(key);
    if (!allowed) return Date.now();
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function say(figures: object): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
