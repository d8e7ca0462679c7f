import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { administer, databaseUrl } from '../../server/test/harness/postgres/database.ts';
import { startPostgresServer } from '../../server/test/harness/postgres/server.ts';
import { ACCESS_KEY, type Keyward, startKeyward } from '../keyward.ts';
import { cpuMicros } from '../processes.ts';
import { fill, postgresFiller, sqliteFiller } from './dataset.ts';
import { type MeasuredQuery, queriesOf } from './queries.ts';

/**
 * Prints what the first page of each list and of each analytics query costs, in milliseconds of CPU of the
 * server and of the database, with one project of two million keys. Linux only.
 *   --keys N        default 2,000,000
 *   --before PATH   a checkout of another version, measured on the same rows
 *   --engine NAME   sqlite or postgres; default both
 *   --folder PATH   keeps the SQLite databases there, and uses them again
 *   --only TEXT     queries whose name contains the text
 */
const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '2000000' },
    before: { type: 'string' },
    engine: { type: 'string' },
    folder: { type: 'string', default: 'scans' },
    only: { type: 'string', default: '' },
  },
});
const HERE = resolve(import.meta.dirname, '../..');
const KEYS = Number(values.keys);
const FOLDER = resolve(values.folder);
/** A query that runs longer is not waited for. */
const TIMEOUT_MS = 20_000;
const NOW = Date.now();

interface Installation {
  readonly start: (checkout: string) => Promise<Keyward>;
  readonly databaseCpu: () => number;
}

/** Milliseconds of CPU by name of the query; the status, if it is not 200; null: not ended in time. */
type Costs = Map<string, { ms: number | null; status: number }>;

async function sqlite(): Promise<(checkout: string) => Promise<Installation>> {
  const filled = join(FOLDER, `filled-${KEYS}`);
  if (!existsSync(filled)) {
    mkdirSync(filled, { recursive: true });
    await (await serve(values.before ?? HERE, filled)).stop();
    const filler = sqliteFiller(join(filled, 'keyward.db'));
    await fill(filler, KEYS, NOW);
    await filler.close();
  }
  return async (checkout) => {
    const folder = join(FOLDER, checkout === HERE ? 'after' : 'before');
    if (!existsSync(folder)) cpSync(filled, folder, { recursive: true });
    return { start: (of) => serve(of, folder), databaseCpu: () => 0 };
  };
}

async function postgres(): Promise<(checkout: string) => Promise<Installation>> {
  const server = await startPostgresServer({
    // Without parallel workers, whose CPU time is lost when they end.
    settings: { shared_buffers: '1GB', max_parallel_workers_per_gather: '0', max_wal_size: '8GB' },
  });
  process.once('exit', () => process.kill(server.pid(), 'SIGQUIT'));
  await administer(server.url, 'create database filled');
  const filled = databaseUrl(server.url, 'filled');
  await (await serve(values.before ?? HERE, FOLDER, filled)).stop();
  const filler = await postgresFiller(filled);
  await fill(filler, KEYS, NOW);
  await filler.close();
  return async (checkout) => {
    const name = checkout === HERE ? 'after' : 'before';
    await administer(server.url, `create database ${name} template filled`);
    const url = databaseUrl(server.url, name);
    const start = (of: string) => serve(of, FOLDER, url);
    await (await start(checkout)).stop();
    await vacuum(url);
    return { start, databaseCpu: () => cpuOfChildren(server.pid()) };
  };
}

async function vacuum(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

function serve(checkout: string, folder: string, databaseUrl?: string): Promise<Keyward> {
  const env: Record<string, string> =
    databaseUrl === undefined ? {} : { KEYWARD_DATABASE_URL: databaseUrl };
  return startKeyward(folder, { core: null, env, checkout });
}

function cpuOfChildren(parent: number): number {
  let sum = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const [, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(ppid) === parent) sum += cpuMicros(Number(entry));
    } catch {
      // The process has exited since the folder was read.
    }
  }
  return sum;
}

async function measure(checkout: string, { start, databaseCpu }: Installation): Promise<Costs> {
  let keyward = await start(checkout);
  const startedIn = Math.round(keyward.readyAfterMs);
  console.error(`${checkout}: ready after ${startedIn} ms`);
  const [project] = (await (await keyward.request('GET', '/projects')).json()) as { id: string }[];
  const costs: Costs = new Map();
  for (const query of queriesOf(project!.id)) {
    if (!query.name.includes(values.only)) continue;
    const cost = await measureOne(keyward, query, databaseCpu);
    costs.set(query.name.replace(project!.id, '…'), cost);
    if (cost.ms !== null) continue;
    await keyward.stop();
    keyward = await start(checkout);
  }
  await keyward.stop();
  return costs;
}

async function measureOne(
  keyward: Keyward,
  { path }: MeasuredQuery,
  databaseCpu: () => number,
): Promise<{ ms: number | null; status: number }> {
  // SQLite reads in processes of the server.
  const cpu = () => cpuMicros(keyward.pid) + cpuOfChildren(keyward.pid) + databaseCpu();
  let ms = Number.POSITIVE_INFINITY;
  let status = 0;
  for (let n = 0; n < 3; n++) {
    const before = cpu();
    try {
      const response = await fetch(`http://127.0.0.1:${keyward.port}${path}`, {
        headers: { 'x-api-key': ACCESS_KEY },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.text();
      status = response.status;
    } catch {
      return { ms: null, status };
    }
    ms = Math.min(ms, (cpu() - before) / 1000);
    if (ms > 2_000) break;
  }
  return { ms, status };
}

const shown = (cost: { ms: number | null; status: number } | undefined): string => {
  if (cost === undefined) return '';
  if (cost.ms === null) return `> ${TIMEOUT_MS.toLocaleString('en')}`;
  const ms = cost.ms.toFixed(cost.ms < 10 ? 1 : 0);
  return cost.status === 200 ? ms : `${ms} (${cost.status})`;
};

const columns: [string, Costs][] = [];
for (const [engine, open] of Object.entries({ sqlite, postgres })) {
  if (values.engine !== undefined && values.engine !== engine) continue;
  const install = await open();
  for (const checkout of values.before === undefined ? [HERE] : [resolve(values.before), HERE])
    columns.push([
      `${engine}, ${checkout === HERE ? 'after' : 'before'}`,
      await measure(checkout, await install(checkout)),
    ]);
}
const names = [...new Set(columns.flatMap(([, costs]) => [...costs.keys()]))];
const lines = [
  `| query | ${columns.map(([title]) => title).join(' | ')} |`,
  `|---|${columns.map(() => '---:').join('|')}|`,
  ...names.map(
    (name) => `| ${name} | ${columns.map(([, costs]) => shown(costs.get(name))).join(' | ')} |`,
  ),
];
console.log(lines.join('\n'));
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, 'table.md'), `${lines.join('\n')}\n`);
process.exit(0);
