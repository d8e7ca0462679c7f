import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, runChild, SERVER_CORE } from '../children.ts';
import { type Dataset, freshDataset } from '../dataset.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { peakRssDuring, settledRss } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';

const BARE = fileURLToPath(new URL('../peers/bare-inserts.ts', import.meta.url));
const KEYWARD = fileURLToPath(new URL('../../server/bin/keyward.mjs', import.meta.url));
const MB = 2 ** 20;

/** `keyward import` as its users run it, with its start, against inserts and nothing else. */
export const importing: Scenario = async (bench) => {
  const { importedKeys } = bench.scale;
  const [dataset, bareDataset] = [await freshDataset(0), await freshDataset(0)];
  const server = await startServer(dataset.folder);
  const rates = { bare: [] as number[], imported: [] as number[] };
  const growths: number[] = [];
  let files = 0;
  try {
    const base = await settledRss(server.pid, 10, 100);
    await takeTurns(bench.rounds(), [
      async () => rates.bare.push(await insertBare(bareDataset, importedKeys)),
      async () => {
        const file = join(dataset.folder, 'keys.ndjson');
        writeKeys(file, importedKeys, files++);
        const peak = await peakRssDuring(server.pid, async () => {
          rates.imported.push(await importFile(server, file, importedKeys));
        });
        growths.push((peak - base) / MB);
      },
    ]);
  } finally {
    await server.stop();
    dataset.remove();
    bareDataset.remove();
  }
  const name = `import: ${importedKeys.toLocaleString('en-GB')} keys`;
  return [
    row(`${name} against bare inserts`, '×', ratiosOf(rates.imported, rates.bare), {
      atLeast: 0.5,
    }),
    row(name, '/s', rates.imported),
    row('import: bare inserts', '/s', rates.bare),
    row('import: growth of the RSS of the server', 'MB', growths),
  ];
};

async function insertBare({ folder }: Dataset, count: number): Promise<number> {
  const args = [BARE, folder, String(count)];
  return count / Number(await runChild(process.execPath, args, { core: SERVER_CORE }));
}

async function importFile({ port }: RunningServer, file: string, count: number): Promise<number> {
  const startedAt = performance.now();
  await runChild(process.execPath, [KEYWARD, 'import', file], {
    core: LOAD_CORE,
    env: { KEYWARD_URL: `http://127.0.0.1:${port}`, KEYWARD_ACCESS_KEY: ACCESS_KEY },
  });
  return count / ((performance.now() - startedAt) / 1000);
}

/** Values and hashes by turns. */
function writeKeys(file: string, count: number, part: number): void {
  const lines = Array.from({ length: count }, (_, n) => {
    const value = `sk_live_of_the_benchmark_${part}_${n}`;
    const key = n % 2 === 0 ? { key: value } : { keyHash: hash('sha256', value), prefix: 'sk_l' };
    const fields = { customUserId: `user-${n}`, customMetaData: { plan: 'pro' } };
    return `${JSON.stringify({ name: `Key ${n}`, ...key, ...fields })}\n`;
  });
  writeFileSync(file, lines.join(''));
}
