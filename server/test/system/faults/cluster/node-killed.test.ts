import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../../../harness/child-server.ts';
import { type FreshPostgres, freshPostgres } from '../../../harness/postgres/postgres.ts';
import { figure, scaled, timeoutMs } from '../../../harness/scale.ts';
import { createTestClient } from '../../../harness/test-client.ts';
import { type Receiver, startReceiver } from '../../../webhooks/receiver.ts';

const ROUNDS = scaled(10, 1);
const EVENTS = 12;
const CLIENTS = 4;
const PATH = '/hang/until-a-node-is-dead';
const SOON = { interval: 50 };

const parent = mkdtempSync(join(tmpdir(), 'keyward-node-killed-'));
let database: FreshPostgres;
let observer: Client;
let receiver: Receiver;
let survivor: ChildServer;
let victim: ChildServer;

const launch = (name: string): Promise<ChildServer> =>
  startServer({
    dataDir: join(parent, name),
    env: {
      KEYWARD_DATABASE_URL: database.url,
      KEYWARD_SECRET: 'a root secret that both nodes have',
      KEYWARD_RATE_LIMITS: 'per-node',
      KEYWARD_MANAGEMENT_LIMIT: '1000000',
      KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8',
    },
  });
const clientOf = ({ url }: ChildServer) => createTestClient(url, BOOTSTRAP_KEY);

beforeAll(async () => {
  receiver = await startReceiver();
  database = await freshPostgres();
  observer = new Client({ connectionString: database.url });
  await observer.connect();
  survivor = await launch('survivor');
});
afterAll(async () => {
  for (const server of [survivor, victim]) await server?.end('SIGKILL');
  await observer.end();
  await database.dispose();
  await receiver.close();
  rmSync(parent, { recursive: true, force: true });
});

/** Validates one key over several connections until the node is killed or `stop` is called. */
class Load {
  readonly responses: number[] = [];
  sent = 0;
  #isStopped = false;
  readonly #clients: Promise<unknown>;

  constructor(server: ChildServer, key: string) {
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, () => this.#validate(server, key)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#clients;
  }

  async #validate(server: ChildServer, key: string): Promise<void> {
    while (!this.#isStopped) {
      this.sent++;
      const response = await clientOf(server)
        .post(`/api-keys/auth/${key}`)
        .catch(() => null);
      if (response === null) return;
      expect(response.status).toBe(200);
      this.responses.push(performance.now());
    }
  }
}

const createKey = async () =>
  (await clientOf(survivor).post('/api-keys', { name: 'of a round' })).body as {
    id: string;
    key: string;
  };

/** The count according to the surviving node. */
async function countedOf(id: string): Promise<number> {
  const { status, text } = await clientOf(survivor).get(`/analytics/api-key-totals?key=${id}`);
  expect(status, text).toBe(200);
  return Number(/"total":(\d+)/.exec(text)?.[1] ?? 0);
}

const arrivals = (from: number): string[] =>
  receiver.received.slice(from).map(({ headers }) => headers['webhook-id']!);

async function eventIds(): Promise<string[]> {
  const { rows } = await observer.query(`select id from events where type = 'api-key.updated'`);
  return rows.map(({ id }) => id);
}

async function undelivered(): Promise<number> {
  const { rows } = await observer.query(
    `select count(*) as count from deliveries where status <> 'delivered'`,
  );
  return Number(rows[0].count);
}

it('another node sends the deliveries of a killed node, and only the last moment of its counts is lost', {
  timeout: timeoutMs,
}, async () => {
  const hook = { name: 'slow', topics: ['api-key.updated'], httpMethod: 'POST', status: 'live' };
  const added = await clientOf(survivor).post('/webhooks', {
    ...hook,
    url: receiver.url + PATH,
    projectId: null,
  });
  expect(added.status, added.text).toBe(201);
  const totals = { repeated: 0, answered: 0, uncounted: 0 };
  const [takenOverMs, lossMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const [ofVictim, ofSurvivor] = [await createKey(), await createKey()];
    victim = await launch(`victim-${round}`);
    const loads = [new Load(victim, ofVictim.key), new Load(survivor, ofSurvivor.key)] as const;
    const before = receiver.received.length;
    for (let n = 0; n < EVENTS; n++) {
      const path = `/api-keys/${ofVictim.id}`;
      const { status, text } = await clientOf(victim).patch(path, { name: `renamed ${n}` });
      expect(status, text).toBe(200);
    }
    // Deliveries are in progress on both nodes, and none has been answered.
    await expect
      .poll(() => new Set(arrivals(before)).size, SOON)
      .toBeGreaterThanOrEqual(EVENTS / 2);
    // The counts flushed so far must survive the kill.
    await expect.poll(() => countedOf(ofVictim.id), SOON).toBeGreaterThan(CLIENTS);
    const flushed = await countedOf(ofVictim.id);
    const killedAt = performance.now();
    await victim.end('SIGKILL');
    const releasing = setInterval(() => receiver.release(PATH), 20);
    await Promise.all(loads.map((load) => load.stop()));
    await expect.poll(undelivered, SOON).toBe(0);
    clearInterval(releasing);
    takenOverMs.push(performance.now() - killedAt);

    const arrived = arrivals(before);
    expect(new Set(arrived).size).toBe(EVENTS);
    expect(arrived.length).toBeGreaterThan(EVENTS);
    totals.repeated += arrived.length - EVENTS;

    const { responses, sent } = loads[0];
    const counted = await countedOf(ofVictim.id);
    expect(counted).toBeLessThanOrEqual(sent);
    const missing = Math.max(0, responses.length - counted);
    lossMs.push(missing === 0 ? 0 : killedAt - responses[counted]!);
    expect(counted).toBeGreaterThanOrEqual(flushed);
    totals.answered += responses.length;
    totals.uncounted += missing;
    await expect.poll(() => countedOf(ofSurvivor.id), SOON).toBe(loads[1].responses.length);
  }
  // Every delivery has the id of an event, and nothing else was sent.
  expect(new Set(arrivals(0))).toEqual(new Set(await eventIds()));
  for (const { headers, body } of receiver.received)
    expect(headers['webhook-id']).toBe(JSON.parse(body).id);
  console.log(
    `node killed: ${ROUNDS} rounds, ${figure(ROUNDS * EVENTS)} events, 0 lost, ${figure(totals.repeated)} sent again under the same id, all delivered ${figure(Math.round(Math.max(...takenOverMs)))} ms after the kill at the latest; ${figure(totals.answered)} validations answered by killed nodes, ${figure(totals.uncounted)} not counted, all of the last ${Math.round(Math.max(...lossMs))} ms, 0 counted twice`,
  );
});
