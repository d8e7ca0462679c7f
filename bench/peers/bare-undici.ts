import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Agent } from 'undici';

/**
 * The least that undici can do: posts the same signed message again and again and looks only at the
 * status. Arguments: URL, file with headers and body as JSON, requests in flight. Each input line is
 * a number of messages, answered when all have been sent.
 */
const [url, file, concurrency] = process.argv.slice(2);
const { headers, body } = JSON.parse(readFileSync(file!, 'utf8')) as {
  headers: Record<string, string>;
  body: string;
};
const agent = new Agent({ pipelining: 1 });
const { origin, pathname } = new URL(url!);

for await (const line of createInterface({ input: process.stdin })) {
  let left = Number(line);
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const response = await agent.request({
        ...{ origin, path: pathname, method: 'POST', headers, body },
      });
      if (response.statusCode !== 200) throw new Error(`Status ${response.statusCode}.`);
      await response.body.dump();
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, send));
  process.stdout.write('{}\n');
}
await agent.close();
