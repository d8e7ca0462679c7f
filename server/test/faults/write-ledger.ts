import { createTestClient, type TestAnswer, type TestClient } from '../harness/test-client.ts';
import { BOOTSTRAP_KEY } from '../lifecycle/child-server.ts';
import type { SeededRandom } from './seeded-random.ts';

interface KeyState {
  readonly name: string;
  readonly isActive: boolean;
}

/** One key: what the server said of it last, and what it was asked for and did not answer. */
interface Entry {
  readonly id: string;
  readonly value: string;
  acknowledged: KeyState;
  asked: KeyState | null;
}

const WRITERS = 6;
const BATCH = 500;

/** Writes without pause over several connections, and remembers every acknowledged answer. */
export class WriteLedger {
  readonly #random: SeededRandom;
  readonly #entries: Entry[] = [];
  #values = 0;
  /** Answers that said that a change was made. */
  acknowledged = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Returns a function that waits for every writer to have given up. */
  hammer(url: string): () => Promise<void> {
    const client = createTestClient(url, BOOTSTRAP_KEY);
    const writers = Array.from({ length: WRITERS }, () => this.#write(client));
    return async () => void (await Promise.all(writers));
  }

  /** Waits until so many changes have been acknowledged. */
  async reached(count: number): Promise<void> {
    while (this.acknowledged < count) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** Each writer has keys of its own, so that at most one answer per key is open at any time. */
  async #write(client: TestClient): Promise<void> {
    const mine: Entry[] = [];
    for (;;) {
      const entry = this.#random.chance(0.4) ? undefined : mine.at(this.#random.below(mine.length));
      const going =
        entry === undefined ? await this.#create(client, mine) : await this.#alter(client, entry);
      if (!going) return;
      this.acknowledged++;
    }
  }

  async #create(client: TestClient, mine: Entry[]): Promise<boolean> {
    const value = `power-loss-value-${this.#values++}`;
    const name = `made as ${value}`;
    const answer = await answered(client.post('/api-keys', { name, key: value }), 201);
    if (answer === null) return false;
    const state = { name, isActive: true };
    const entry = { id: answer.body.id, value, acknowledged: state, asked: null };
    mine.push(entry);
    this.#entries.push(entry);
    return true;
  }

  async #alter(client: TestClient, entry: Entry): Promise<boolean> {
    const { acknowledged, id } = entry;
    const path = `/api-keys/${id}`;
    const choice = this.#random.below(3);
    const asked: KeyState =
      choice === 0
        ? { ...acknowledged, name: `renamed ${this.#values++}` }
        : { ...acknowledged, isActive: choice === 1 };
    entry.asked = asked;
    const call =
      choice === 0
        ? client.patch(path, { name: asked.name })
        : choice === 1
          ? client.patch(`${path}/reactivate`)
          : client.delete(path);
    if ((await answered(call, 200)) === null) return false;
    entry.acknowledged = asked;
    entry.asked = null;
    return true;
  }

  /** What this server does not know as it was acknowledged; what it was only asked for may be either. */
  async lostOn(url: string): Promise<string[]> {
    const client = createTestClient(url, BOOTSTRAP_KEY);
    const lost: string[] = [];
    for (let start = 0; start < this.#entries.length; start += BATCH) {
      const entries = this.#entries.slice(start, start + BATCH);
      const keys = entries.map((entry) => entry.value);
      const answer = await client.post('/api-keys/auth', { keys });
      if (answer.status !== 200) return [`the server answers ${answer.status}`];
      for (const [index, result] of answer.body.entries()) {
        const entry = entries[index]!;
        const found = describeResult(result);
        const expected = [entry.acknowledged, entry.asked].map((state) => state && describe(state));
        if (!expected.includes(found))
          lost.push(`${entry.value}: acknowledged ${expected[0]}, found ${found}`);
        else this.#settle(entry, found);
      }
    }
    return lost;
  }

  /** What turned out to be true of an open answer is what later rounds must find. */
  #settle(entry: Entry, found: string): void {
    if (entry.asked !== null && describe(entry.asked) === found) entry.acknowledged = entry.asked;
    entry.asked = null;
  }
}

const describe = (state: KeyState): string => (state.isActive ? state.name : 'key_revoked');

const describeResult = (result: { code: string; record?: { name: string } }): string =>
  result.record?.name ?? result.code;

/** Null when the server is gone. An answer that says no is not something this load can cause. */
async function answered(call: Promise<TestAnswer>, status: number): Promise<TestAnswer | null> {
  const answer = await call.catch(() => null);
  if (answer !== null && answer.status !== status)
    throw new Error(`The server answered ${answer.status}: ${answer.text}`);
  return answer;
}
