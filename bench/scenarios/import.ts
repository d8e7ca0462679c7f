import { hash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, runChild, SERVER_CORE } from '../children.ts';
import { type Dataset, freshDataset } from '../dataset.ts';
import { ACCESS_KEY, startServer } from '../keyward-server.ts';
import { peakRssDuring, settledRss } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';

const BARE = fileURLToPath(new URL('../peers/bare-inserts.ts', import.meta.url));
const KEYWARD = fileURLToPath(new URL('../../server/bin/keyward.mjs', import.meta.url));
const MB = 2 ** 20;

/** `keyward import` as its users run it, with its start, against inserts and nothing else. */
export const importing: Scenario = async (bench) => {
  const bare: number[] = [];
  const imported: number[] = [];
  const growths: number[] = [];
  for (const round of bench.rounds()) {
    bare.push(await withDataset((dataset) => insertBare(bench, dataset)));
    await withDataset(async (dataset) => {
      const { rate, growth } = await importFile(bench, dataset);
      imported.push(rate);
      growths.push(growth);
    });
    bench.say(`round ${round + 1} is done`);
  }
  const name = `import: ${bench.scale.importedKeys.toLocaleString('en-GB')} keys`;
  return [
    row(`${name} against bare inserts`, '×', ratiosOf(imported, bare), { atLeast: 0.5 }),
    row(name, '/s', imported),
    row('import: bare inserts', '/s', bare),
    row('import: growth of the RSS of the server', 'MB', growths),
  ];
};

async function withDataset<T>(work: (dataset: Dataset) => Promise<T>): Promise<T> {
  const dataset = await freshDataset(0);
  try {
    return await work(dataset);
  } finally {
    dataset.remove();
  }
}

async function insertBare({ scale }: Bench, { folder }: Dataset): Promise<number> {
  const args = [BARE, folder, String(scale.importedKeys)];
  const seconds = Number(await runChild(process.execPath, args, { core: SERVER_CORE }));
  return scale.importedKeys / seconds;
}

async function importFile({ scale }: Bench, { folder }: Dataset) {
  const file = join(folder, 'keys.ndjson');
  writeKeys(file, scale.importedKeys);
  const server = await startServer(folder);
  try {
    const base = await settledRss(server.pid, 20, 100);
    const startedAt = performance.now();
    let seconds = 0;
    const peak = await peakRssDuring(server.pid, async () => {
      await runChild(process.execPath, [KEYWARD, 'import', file], {
        core: LOAD_CORE,
        env: { KEYWARD_URL: `http://127.0.0.1:${server.port}`, KEYWARD_ACCESS_KEY: ACCESS_KEY },
      });
      seconds = (performance.now() - startedAt) / 1000;
    });
    return { rate: scale.importedKeys / seconds, growth: (peak - base) / MB };
  } finally {
    await server.stop();
  }
}

/** Values and hashes by turns. */
function writeKeys(file: string, count: number): void {
  const handle = openSync(file, 'w');
  for (let n = 0; n < count; n++) {
    const value = `sk_live_of_the_benchmark_${n}`;
    const key = n % 2 === 0 ? { key: value } : { keyHash: hash('sha256', value), prefix: 'sk_l' };
    const fields = { customUserId: `user-${n}`, customMetaData: { plan: 'pro' } };
    writeSync(handle, `${JSON.stringify({ name: `Key ${n}`, ...key, ...fields })}\n`);
  }
  closeSync(handle);
}
