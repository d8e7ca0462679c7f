import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../../harness/seeded-random.ts';
import type { TestClient, TestResponse } from '../../../harness/test-client.ts';

const REVOKED = 'key_revoked';
const BATCH = 500;
/** Wait after a refusal, so that one outage does not fill the log. */
const PAUSE_MS = 20;

/**
 * One key and its possible states: the last acknowledged state, and the states of later changes that were not
 * acknowledged.
 */
interface Entry {
  readonly id: string;
  readonly value: string;
  possible: string[];
}

/**
 * Changes keys without pause while the database fails and returns, and records every acknowledged
 * change. A change that failed with 503 may still have been committed.
 */
export class ChangeLedger {
  readonly #random: SeededRandom;
  readonly #entries: Entry[] = [];
  #names = 0;
  #isStopped = false;
  acknowledged = 0;
  refused = 0;
  /** The longest response time, acknowledged or refused. */
  slowestMs = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  get keys(): number {
    return this.#entries.length;
  }

  /** Starts one writer per client; the returned function stops them and waits for them. */
  hammer(clients: readonly TestClient[]): () => Promise<void> {
    this.#isStopped = false;
    const writers = clients.map((client) => this.#write(client));
    return async () => {
      this.#isStopped = true;
      await Promise.all(writers);
    };
  }

  /** Writers do not share keys, so that each key has at most one pending change. */
  async #write(client: TestClient): Promise<void> {
    const mine: Entry[] = [];
    while (!this.#isStopped) {
      const index = this.#random.below(mine.length + 1);
      const entry = mine[index];
      if (entry === undefined) await this.#create(client, mine);
      else if (this.#random.chance(0.2)) {
        mine.splice(index, 1);
        await this.#change(entry, REVOKED, () => client.delete(`/api-keys/${entry.id}`));
      } else {
        const name = `renamed ${this.#names++}`;
        await this.#change(entry, name, () => client.patch(`/api-keys/${entry.id}`, { name }));
      }
    }
  }

  async #create(client: TestClient, mine: Entry[]): Promise<void> {
    const name = `created ${this.#names++}`;
    const response = await this.#send(() => client.post('/api-keys', { name }), 201);
    if (response === null) return;
    const entry = { id: response.body.id, value: response.body.key, possible: [name] };
    mine.push(entry);
    this.#entries.push(entry);
  }

  async #change(entry: Entry, state: string, call: () => Promise<TestResponse>): Promise<void> {
    entry.possible.push(state);
    if ((await this.#send(call, 200)) !== null) entry.possible = [state];
  }

  /** Null if the database is unavailable (503); any other status throws. */
  async #send(call: () => Promise<TestResponse>, status: number): Promise<TestResponse | null> {
    const startedAt = performance.now();
    const response = await call();
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    if (response.status === status) {
      this.acknowledged++;
      return response;
    }
    if (response.status !== 503)
      throw new Error(`The server returned ${response.status}: ${response.text}`);
    this.refused++;
    await sleep(PAUSE_MS);
    return null;
  }

  /**
   * Lists the keys whose state on this node is not possible. From now on, the states found are the only
   * possible ones.
   */
  async lostOn(client: TestClient): Promise<string[]> {
    const lost: string[] = [];
    for (let start = 0; start < this.#entries.length; start += BATCH) {
      const entries = this.#entries.slice(start, start + BATCH);
      const keys = entries.map(({ value }) => value);
      const response = await client.post('/api-keys/auth', { keys });
      if (response.status !== 200)
        return [`the node returned ${response.status}: ${response.text}`];
      for (const [index, entry] of entries.entries()) {
        const { code, record } = response.body[index] as {
          code: string;
          record?: { name: string };
        };
        const found = record?.name ?? code;
        if (entry.possible.includes(found)) entry.possible = [found];
        else lost.push(`${entry.id}: ${found} instead of ${entry.possible.join(' or ')}`);
      }
    }
    return lost;
  }
}
