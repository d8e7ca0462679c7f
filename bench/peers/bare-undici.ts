import { readFileSync } from 'node:fs';
import { Agent } from 'undici';

/**
 * The least that `undici` can do: posts signed bodies from a file, so many at a time, and looks at
 * nothing but the status. Arguments: the receiver's URL, the file of messages, how many at a time.
 */
const [url, file, concurrency] = process.argv.slice(2);
const messages = JSON.parse(readFileSync(file!, 'utf8')) as {
  headers: Record<string, string>;
  body: string;
}[];
const agent = new Agent({ pipelining: 1 });
const { origin, pathname } = new URL(url!);

let next = 0;
async function postAll(): Promise<void> {
  for (let message = messages[next++]; message !== undefined; message = messages[next++]) {
    const { headers, body } = message;
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
    if (answer.statusCode !== 200) throw new Error(`Answered ${answer.statusCode}.`);
    await answer.body.dump();
  }
}
await Promise.all(Array.from({ length: Number(concurrency) }, postAll));
await agent.close();
