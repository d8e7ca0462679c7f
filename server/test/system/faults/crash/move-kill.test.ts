import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { ChildServer } from '../../../harness/child-server.ts';
import { type FreshPostgres, freshPostgres } from '../../../harness/postgres/postgres.ts';
import { figure, scaled, timeoutMs } from '../../../harness/scale.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { type CommandRun, keyward } from '../../cluster/move/keyward-command.ts';
import { queryDatabase } from '../../cluster/move/query-database.ts';
import { makeInstallation, ROOT_SECRET } from './large-installation.ts';

const KEYS = scaled(200_000, 4_000);
const ROUNDS = scaled(20, 2);
const seed = randomInt(2 ** 32);
const random = new SeededRandom(seed);

const parent = mkdtempSync(join(tmpdir(), 'keyward-move-kill-'));
const dataDir = join(parent, 'data');
let database: FreshPostgres;

beforeAll(() => makeInstallation(dataDir, { keys: KEYS, audited: scaled(50_000, 1_000) }), 600_000);
afterAll(() => rmSync(parent, { recursive: true, force: true }));
const openTarget = async () => {
  database = await freshPostgres();
};
const removeTarget = async () => {
  await database.dispose();
  rmSync(join(dataDir, 'moved'), { force: true });
};
beforeEach(openTarget);
afterEach(removeTarget);

const OTHER_SESSIONS = `select pid from pg_stat_activity where datname = current_database()
  and backend_type = 'client backend' and pid <> pg_backend_pid()`;

const move = () => keyward(['move', '--to', database.url, '--data-dir', dataDir]);

interface MoveRecord {
  readonly rows: number;
  readonly state: string;
}

async function recordIn(url: string): Promise<MoveRecord | null> {
  const rows = await queryDatabase(url, `select value from installation where name = 'move'`).catch(
    () => [],
  );
  return rows.length === 0 ? null : (JSON.parse(String(rows[0]!.value)) as MoveRecord);
}

/**
 * Kills the move when this many rows are copied, and returns how many were copied. If the move was done
 * before it was killed, opens a new target and returns null.
 */
async function killAt({ child, ended }: CommandRun, rows: number): Promise<number | null> {
  let isOver = false;
  const over = ended.then(() => {
    isOver = true;
  });
  while (!isOver && ((await recordIn(database.url))?.rows ?? -1) < rows) await setTimeout(5);
  child.kill('SIGKILL');
  await over;
  // The server may still commit the last transaction of the killed process.
  await expect.poll(() => queryDatabase(database.url, OTHER_SESSIONS)).toEqual([]);
  const record = await recordIn(database.url);
  if (record?.state !== 'done') return record?.rows ?? 0;
  await removeTarget();
  await openTarget();
  return null;
}

async function expectComplete(): Promise<void> {
  const source = new DatabaseSync(join(dataDir, 'keyward.db'), { readOnly: true });
  for (const table of ['api_keys', 'key_usage', 'usage_days', 'usage_journal', 'audit_seals']) {
    const count = `select count(*) as n from ${table}`;
    const [row] = await queryDatabase(database.url, count);
    expect([table, Number(row!.n)]).toEqual([table, source.prepare(count).get()!.n]);
  }
  source.close();
  const [last] = await queryDatabase(
    database.url,
    `select nextval(pg_get_serial_sequence('api_keys', 'seq'))`,
  );
  expect(Number(last!.nextval)).toBe(KEYS + 1);
}

it(`a move that is killed ${ROUNDS} times completes with all data`, {
  timeout: timeoutMs,
}, async () => {
  let seen: number[] = [];
  while (seen.length < ROUNDS) {
    const run = move();
    const round = seen.length;
    if (round === 0) await setTimeout(random.next() * 500);
    const at = round === 0 ? -1 : Math.floor((random.next() * 3 * KEYS * round) / ROUNDS);
    const rows = await killAt(run, at);
    seen = rows === null ? [] : [...seen, rows];
  }
  // Each run continued where the previous one stopped.
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));

  const partial = new ChildServer({
    dataDir: join(parent, 'node'),
    env: { KEYWARD_DATABASE_URL: database.url, KEYWARD_SECRET: ROOT_SECRET },
  });
  if ((await recordIn(database.url))?.state === 'copying') {
    expect((await partial.exited).code).toBe(1);
    expect(partial.output).toContain('A move into this database has not finished.');
  }
  await partial.end('SIGKILL');

  const began = performance.now();
  const last = move();
  const watch = peakOf(last);
  const { code, out, err } = await last.ended;
  expect(code, err).toBe(0);
  expect(out).toMatch(/rows of \d+ tables, the same on both sides/);
  await expectComplete();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `move (seed ${seed}): ${figure(KEYS)} keys, killed at ${seen.map(figure).join(', ')} rows; last run ${seconds} s, peak ${watch()} MB`,
  );
});

it('a move starts over if the source was used since it was killed', {
  timeout: timeoutMs,
}, async () => {
  while ((await killAt(move(), KEYS)) === null);
  const source = new DatabaseSync(join(dataDir, 'keyward.db'));
  source.exec(`update api_keys set name = 'changed since' where seq = 1`);
  source.close();
  const began = performance.now();
  const whole = move();
  const watch = peakOf(whole);
  const { code, out, err } = await whole.ended;
  expect(code, err).toBe(0);
  expect(out).not.toContain('from an earlier run');
  const [key] = await queryDatabase(database.url, 'select name from api_keys where seq = 1');
  expect(key!.name).toBe('changed since');
  await expectComplete();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`move: ${figure(KEYS)} keys in one go: ${seconds} s, peak ${watch()} MB`);
});

it('a move does not continue into a target with different data', {
  timeout: timeoutMs,
}, async () => {
  await database.dispose();
  database = await freshPostgres({ migrated: true });
  // The target changes this row at the insert.
  await queryDatabase(
    database.url,
    `create function corrupt() returns trigger language plpgsql as $$ begin new.name = 'other'; return new; end $$`,
  );
  await queryDatabase(
    database.url,
    'create trigger corrupt before insert on api_keys for each row when (new.seq = 4) execute function corrupt()',
  );
  const corrupted = await move().ended;
  expect(corrupted.code).toBe(1);
  expect(corrupted.err).toContain('The rows of the table api_keys are not the same on both sides.');
  await queryDatabase(database.url, 'drop trigger corrupt on api_keys');
  const { code, err } = await move().ended;
  expect(code, err).toBe(0);
  await expectComplete();
});

/** Peak memory of the process in megabytes (VmHWM on Linux). */
function peakOf({ child }: CommandRun): () => string {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? peak);
    } catch {
      // The process has exited, or this is not Linux.
    }
  }, 50);
  child.once('exit', () => clearInterval(timer));
  return () => (peak / 1024).toFixed(0);
}
