import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, expect, it } from 'vitest';
import { freshPostgres } from '../../../harness/postgres/postgres.ts';
import { figure, rounds, timeoutMs } from '../../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../../harness/seeded-random.ts';
import { ACCESS_KEY, ServerProcess } from './server-process.ts';

const ROUNDS = { full: 100, quick: 3, atLeast: 2 };
const CLIENTS = 8;
/** A top-up after this many validations. */
const ADD_EVERY = 40;
const ADDED = 25;
/** What a kill may forget, and a little for clocks that count whole milliseconds. */
const FORGOTTEN_MS_MAX = 250 + 5;

/** A server whose database the test reads. */
interface Installation {
  readonly server: ServerProcess;
  /** The first column of the only row. */
  numberOf(query: string): Promise<number>;
  /** Waits until the database has finished what a killed server has sent. */
  settled(): Promise<void>;
  dispose(): Promise<void>;
}

async function onSqlite(): Promise<Installation> {
  const directory = mkdtempSync(join(tmpdir(), 'keyward-credits-'));
  const server = await ServerProcess.on(directory);
  return {
    server,
    async numberOf(query) {
      const database = new DatabaseSync(join(directory, 'keyward.db'), { readOnly: true });
      try {
        return Number(Object.values(database.prepare(query).get()!)[0]);
      } finally {
        database.close();
      }
    },
    async settled() {},
    async dispose() {
      await server.end('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function onPostgres(): Promise<Installation> {
  const directory = mkdtempSync(join(tmpdir(), 'keyward-credits-'));
  const database = await freshPostgres();
  const observer = new Client({ connectionString: database.url });
  await observer.connect();
  const server = await ServerProcess.on(directory, {
    KEYWARD_DATABASE_URL: database.url,
    KEYWARD_SECRET: 'a root secret for all runs of the node',
    KEYWARD_RATE_LIMITS: 'per-node',
  });
  const numberOf = async (query: string) => {
    const { rows } = await observer.query(query);
    return Number(Object.values(rows[0])[0]);
  };
  return {
    server,
    numberOf,
    async settled() {
      const others = `SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`;
      await expect.poll(() => numberOf(others), { interval: 20 }).toBe(0);
    },
    async dispose() {
      await server.end('SIGKILL');
      await observer.end();
      await database.dispose();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

let installation: Installation;
afterEach(() => installation.dispose());

/** The only pool in the database, and the top-ups that were made. */
async function stored(): Promise<{ balance: number; topUps: number }> {
  const { numberOf } = installation;
  // In one query, since a running server moves credits between the two tables.
  const balance = await numberOf(
    'SELECT remaining - owed + coalesce((SELECT sum(amount - spent) FROM credit_blocks), 0) FROM credit_pools',
  );
  for (const query of [
    'min(remaining) FROM credit_pools',
    'coalesce(min(amount - spent), 0) FROM credit_blocks',
  ])
    expect(await numberOf(`SELECT ${query}`)).toBeGreaterThanOrEqual(0);
  expect(await numberOf('SELECT owed FROM credit_pools')).toBe(0);
  const topUps = await numberOf("SELECT count(*) FROM audit_log WHERE action = 'credits.changed'");
  return { balance, topUps };
}

/** The requests of one round. */
interface Load {
  /** Validations that were sent and not refused. Those without a response may have been granted. */
  sent: number;
  /** Validations that were granted, in the order of their responses. */
  readonly granted: { readonly sentAt: number; readonly answeredAt: number }[];
  /** Top-ups that were acknowledged. */
  acknowledged: number;
  over: boolean;
}

const post = (path: string, body?: object): Promise<Response | null> =>
  fetch(installation.server.url + path, {
    method: 'POST',
    headers: {
      'x-api-key': ACCESS_KEY,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => null);

async function spendUntilOver(load: Load, key: string, id: string): Promise<void> {
  for (let calls = 1; !load.over; calls++) {
    if (calls % ADD_EVERY === 0) {
      const response = await post(`/api-keys/${id}/credits`, { add: ADDED });
      if (response === null) return;
      if (response.status === 200) load.acknowledged++;
      await response.arrayBuffer().catch(() => {});
    }
    load.sent++;
    const sentAt = performance.now();
    const response = await post(`/api-keys/auth/${key}`);
    if (response === null) return;
    // 503: overloaded.
    if (![200, 429, 503].includes(response.status))
      throw new Error(`Validating a known key returned ${response.status}.`);
    if (response.status === 200) load.granted.push({ sentAt, answeredAt: performance.now() });
    else load.sent--;
    await response.arrayBuffer().catch(() => {});
  }
}

async function round(key: string, id: string, random: SeededRandom, signal: 'SIGKILL' | 'SIGTERM') {
  const { server } = installation;
  server.spawn();
  await server.ready();
  const load: Load = { sent: 0, granted: [], acknowledged: 0, over: false };
  const clients = Array.from({ length: CLIENTS }, () => spendUntilOver(load, key, id));
  const { balance } = await stored();
  await expect.poll(async () => (await stored()).balance, { interval: 20 }).not.toBe(balance);
  await sleep(random.below(1_000));
  if (signal === 'SIGTERM') {
    load.over = true;
    await Promise.all(clients);
  }
  const endedAt = performance.now();
  await server.end(signal);
  await installation.settled();
  load.over = true;
  await Promise.all(clients);
  return { load, endedAt };
}

it.each([
  ['SQLite', ROUNDS, onSqlite],
  ['PostgreSQL', { ...ROUNDS, quick: 2 }, onPostgres],
])(
  'kill -9 forgets at most 250 ms of use, and no top-up; a stop forgets nothing: %s',
  async (engine, counts, install) => {
    installation = await install();
    const { server } = installation;
    const seed = runSeed();
    const random = new SeededRandom(seed);
    server.spawn();
    await server.ready();
    const credits = { remaining: 1_000 };
    const made = await server.call('POST', '/api-keys', { name: 'Prepaid', credits });
    expect(made.status).toBe(201);
    const { key, id } = made.body;
    await server.end('SIGTERM');
    let before = await stored();
    expect(before.balance).toBe(1_000);

    let grants = 0;
    let forgotten = 0;
    let forgottenMsMax = 0;
    const done = await rounds(counts, async () => {
      const { load, endedAt } = await round(key, id, random, 'SIGKILL');
      const now = await stored();
      const topUps = now.topUps - before.topUps;
      expect(topUps).toBeGreaterThanOrEqual(load.acknowledged);
      const counted = topUps * ADDED - (now.balance - before.balance);
      // Nothing is counted twice.
      expect(counted).toBeLessThanOrEqual(load.sent);
      before = now;
      grants += load.granted.length;
      const missing = load.granted.length - counted;
      if (missing <= 0) return;
      forgotten += missing;
      // The first forgotten grant was made before its response, the last one after its request.
      const { answeredAt } = load.granted.at(-missing)!;
      const lastSentAt = Math.max(...load.granted.map(({ sentAt }) => sentAt));
      expect(lastSentAt - answeredAt, `seed ${seed}`).toBeLessThanOrEqual(FORGOTTEN_MS_MAX);
      forgottenMsMax = Math.max(forgottenMsMax, endedAt - answeredAt);
    });
    const { load } = await round(key, id, random, 'SIGTERM');
    const after = await stored();
    expect(after.topUps - before.topUps).toBe(load.acknowledged);
    expect(after.balance).toBe(before.balance + load.acknowledged * ADDED - load.granted.length);
    console.log(
      `credits, kill -9 on ${engine}: ${done} rounds (seed ${seed}), ${figure(grants)} credits granted, ${figure(forgotten)} forgotten, all of the last ${Math.round(forgottenMsMax)} ms or less, no top-up lost; SIGTERM: 0 of ${figure(load.granted.length)} forgotten`,
    );
    expect(grants).toBeGreaterThan(done);
  },
  timeoutMs,
);
