import { freshDataset } from '../dataset.ts';
import { ACCESS_KEY, startServer } from '../keyward-server.ts';
import { type Row, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedUsage } from '../seed-usage.ts';
import { median } from '../statistics.ts';

const DAYS = 90;
const ASKED = 30;
/** Of what reads all there is, and has no bar. */
const ASKED_OF_ALL = 5;
const DAY_MS = 86_400_000;

/** The first page of totals over three months against one day, with every key used on every day. */
export const usageTotals: Scenario = async (bench) => {
  const { usedKeys } = bench.scale;
  const dataset = await freshDataset(usedKeys);
  try {
    bench.say(`storing ${(usedKeys * DAYS).toLocaleString('en-GB')} day buckets`);
    const first = seedUsage(dataset.folder, DAYS);
    const server = await startServer(dataset.folder);
    try {
      const from = new Date(first).toISOString();
      const day = new Date(first + 45 * DAY_MS).toISOString();
      const dayEnd = new Date(first + 46 * DAY_MS).toISOString();
      const ask = (query: string) => medianMs(server.port, `/analytics/${query}`, ASKED);
      const askAll = (query: string) => medianMs(server.port, `/analytics/${query}`, ASKED_OF_ALL);
      const rows: Row[] = [];
      for (const page of ['limit=100', 'limit=100&dateGrouping=day']) {
        const oneDay = await ask(`api-key-totals?${page}&from=${day}&to=${dayEnd}`);
        for (const [named, time] of [
          ['all time', ''],
          ['90 days', `&from=${from}`],
        ]) {
          const whole = await ask(`api-key-totals?${page}${time}`);
          rows.push(
            row(`usage-totals: ${page}, ${named} against one day`, '×', whole / oneDay, {
              atMost: 3,
            }),
            row(`  ${page}, ${named}`, 'ms', whole),
          );
        }
        rows.push(row(`  ${page}, one day`, 'ms', oneDay));
      }
      rows.push(
        row('usage-totals: sort=total', 'ms', await askAll('api-key-totals?limit=100&sort=total')),
        row('usage-totals: project totals', 'ms', await ask('project-totals?dateGrouping=day')),
      );
      return rows;
    } finally {
      await server.stop();
    }
  } finally {
    dataset.remove();
  }
};

/** After some unmeasured: the first read a cold file and compile. */
async function medianMs(port: number, path: string, asked: number): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < asked; n++) {
    const startedAt = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'x-api-key': ACCESS_KEY },
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}.`);
    if (n >= asked / 6) times.push(performance.now() - startedAt);
  }
  return median(times);
}
