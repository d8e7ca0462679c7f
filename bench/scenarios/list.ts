import { request } from 'node:http';
import { freshDataset } from '../dataset.ts';
import { ACCESS_KEY, startServer } from '../keyward-server.ts';
import { peakRssDuring, settledRss } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';

const LISTS = 3;
const MB = 2 ** 20;

/** How far the memory rises while a whole list is sent. */
export const list: Scenario = async (bench) => {
  const dataset = await freshDataset(bench.scale.listedKeys);
  const server = await startServer(dataset.folder);
  try {
    for (let warm = 0; warm < 5; warm++) await listKeys(server.port, '?limit=1000');
    // As its operator sees it: a forced collection here would count the room that V8 takes back
    // for short-lived objects as growth.
    const base = await settledRss(server.pid, 20, 100);
    const growths: number[] = [];
    const seconds: number[] = [];
    for (let each = 0; each < LISTS; each++) {
      const startedAt = performance.now();
      const peak = await peakRssDuring(server.pid, async () => {
        const listed = await listKeys(server.port, '');
        if (listed !== bench.scale.listedKeys) throw new Error(`Only ${listed} keys were listed.`);
      });
      seconds.push((performance.now() - startedAt) / 1000);
      growths.push((peak - base) / MB);
    }
    return [
      row('list: growth of RSS at its peak', 'MB', Math.max(...growths), { atMost: 50 }),
      row('list: RSS before', 'MB', base / MB),
      row(`list: ${bench.scale.listedKeys.toLocaleString('en-GB')} keys`, 's', seconds),
    ];
  } finally {
    await server.stop();
    dataset.remove();
  }
};

const MARK = Buffer.from('"projectId"');

/** Reads the list and drops it, but counts its items by a field that each has once. */
function listKeys(port: number, query: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': ACCESS_KEY };
    const options = { host: '127.0.0.1', port, path: `/api-keys${query}`, headers, agent: false };
    const asked = request(options, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`The list answered ${answer.statusCode}.`));
      let count = 0;
      let rest: Buffer = Buffer.alloc(0);
      answer.on('data', (chunk: Buffer) => {
        const bytes = Buffer.concat([rest, chunk]);
        count += occurrences(bytes, MARK);
        // Shorter than the mark, so that none is counted twice.
        rest = bytes.subarray(Math.max(0, bytes.length - MARK.length + 1));
      });
      answer.once('end', () => resolve(count));
      answer.once('error', reject);
    });
    asked.once('error', reject);
    asked.end();
  });
}

function occurrences(bytes: Buffer, mark: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) count++;
  return count;
}
