import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../faults/seeded-random.ts';
import type { TestAnswer, TestClient } from '../harness/test-client.ts';

const REVOKED = 'key_revoked';
const BATCH = 500;
/** After a refusal: the load goes on, and does not fill the log with the same second. */
const PAUSE_MS = 20;

/** One key, and what may be true of it: what was acknowledged, or asked for since without an answer. */
interface Entry {
  readonly id: string;
  readonly value: string;
  possible: string[];
}

/**
 * Changes keys without pause while the database comes and goes, and remembers every acknowledged
 * answer. A change that was answered with 503 may have been made: its commit may have come through.
 */
export class ChangeLedger {
  readonly #random: SeededRandom;
  readonly #entries: Entry[] = [];
  #names = 0;
  #isOver = false;
  acknowledged = 0;
  refused = 0;
  /** The longest that an answer, of either kind, was waited for. */
  slowestMs = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  get keys(): number {
    return this.#entries.length;
  }

  /** One writer on each of these; returns a function that waits until all have stopped. */
  hammer(clients: readonly TestClient[]): () => Promise<void> {
    this.#isOver = false;
    const writers = clients.map((client) => this.#write(client));
    return async () => {
      this.#isOver = true;
      await Promise.all(writers);
    };
  }

  /** Each writer has keys of its own, so that at most one answer per key is open at any time. */
  async #write(client: TestClient): Promise<void> {
    const mine: Entry[] = [];
    while (!this.#isOver) {
      const place = this.#random.below(mine.length + 1);
      const entry = mine[place];
      if (entry === undefined) await this.#create(client, mine);
      else if (this.#random.chance(0.2)) {
        mine.splice(place, 1);
        await this.#change(entry, REVOKED, () => client.delete(`/api-keys/${entry.id}`));
      } else {
        const name = `renamed ${this.#names++}`;
        await this.#change(entry, name, () => client.patch(`/api-keys/${entry.id}`, { name }));
      }
    }
  }

  async #create(client: TestClient, mine: Entry[]): Promise<void> {
    const name = `made ${this.#names++}`;
    const answer = await this.#answered(() => client.post('/api-keys', { name }), 201);
    if (answer === null) return;
    const entry = { id: answer.body.id, value: answer.body.key, possible: [name] };
    mine.push(entry);
    this.#entries.push(entry);
  }

  async #change(entry: Entry, asked: string, call: () => Promise<TestAnswer>): Promise<void> {
    entry.possible.push(asked);
    if ((await this.#answered(call, 200)) !== null) entry.possible = [asked];
  }

  /** Null when it was refused because the database is away; nothing else may be the answer. */
  async #answered(call: () => Promise<TestAnswer>, status: number): Promise<TestAnswer | null> {
    const began = performance.now();
    const answer = await call();
    this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
    if (answer.status === status) {
      this.acknowledged++;
      return answer;
    }
    if (answer.status !== 503)
      throw new Error(`The server answered ${answer.status}: ${answer.text}`);
    this.refused++;
    await sleep(PAUSE_MS);
    return null;
  }

  /** What this node does not know as it was acknowledged. What it does know is held to from now on. */
  async lostOn(client: TestClient): Promise<string[]> {
    const lost: string[] = [];
    for (let start = 0; start < this.#entries.length; start += BATCH) {
      const entries = this.#entries.slice(start, start + BATCH);
      const keys = entries.map(({ value }) => value);
      const answer = await client.post('/api-keys/auth', { keys });
      if (answer.status !== 200) return [`the node answers ${answer.status}: ${answer.text}`];
      for (const [index, entry] of entries.entries()) {
        const { code, record } = answer.body[index] as { code: string; record?: { name: string } };
        const found = record?.name ?? code;
        if (entry.possible.includes(found)) entry.possible = [found];
        else lost.push(`${entry.id}: ${found} instead of ${entry.possible.join(' or ')}`);
      }
    }
    return lost;
  }
}
