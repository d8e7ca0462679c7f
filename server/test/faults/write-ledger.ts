import { createTestClient, type TestAnswer, type TestClient } from '../harness/test-client.ts';
import { BOOTSTRAP_KEY } from '../lifecycle/child-server.ts';
import { scaled } from './scale.ts';
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
const ENOUGH_MS = scaled(60_000, 5_000);

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

  /** Waits until so many more changes have been acknowledged; on a slow machine, at least one. */
  async acknowledgedMore(count: number): Promise<void> {
    const before = this.acknowledged;
    const enoughAt = performance.now() + ENOUGH_MS;
    const isEnough = () => this.acknowledged >= before + (performance.now() < enoughAt ? count : 1);
    while (!isEnough()) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** Each writer has keys of its own, so that at most one answer per key is open at any time. */
  async #write(client: TestClient): Promise<void> {
    const mine: Entry[] = [];
    for (;;) {
      const entry = this.#random.chance(0.4) ? undefined : mine.at(this.#random.below(mine.length));
      const outcome =
        entry === undefined ? await this.#create(client, mine) : await this.#alter(client, entry);
      if (outcome === 'gone') return;
      if (outcome === 'acknowledged') this.acknowledged++;
      else if (entry !== undefined) mine.splice(mine.indexOf(entry), 1);
    }
  }

  async #create(client: TestClient, mine: Entry[]): Promise<Outcome> {
    const value = `power-loss-value-${this.#values++}`;
    const name = `made as ${value}`;
    const { outcome, answer } = await outcomeOf(
      client.post('/api-keys', { name, key: value }),
      201,
    );
    if (outcome !== 'acknowledged') return outcome;
    const state = { name, isActive: true };
    const entry = { id: answer.body.id, value, acknowledged: state, asked: null };
    mine.push(entry);
    this.#entries.push(entry);
    return outcome;
  }

  async #alter(client: TestClient, entry: Entry): Promise<Outcome> {
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
    const { outcome } = await outcomeOf(call, 200);
    if (outcome !== 'acknowledged') return outcome;
    entry.acknowledged = asked;
    entry.asked = null;
    return outcome;
  }

  /** What this server does not know as it was acknowledged; what it was only asked for may be either. */
  async lostOn(url: string): Promise<string[]> {
    const client = createTestClient(url, BOOTSTRAP_KEY);
    const lost: string[] = [];
    for (let start = 0; start < this.#entries.length; start += BATCH) {
      const entries = this.#entries.slice(start, start + BATCH);
      const keys = entries.map((entry) => entry.value);
      let answer = await client.post('/api-keys/auth', { keys });
      while (answer.status === 503) answer = await client.post('/api-keys/auth', { keys });
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

/**
 * The server is gone, or its storage was too slow and nobody knows whether the change was made (503).
 * This load cannot cause any other refusal.
 */
type Outcome = 'acknowledged' | 'unknown' | 'gone';

async function outcomeOf(
  call: Promise<TestAnswer>,
  status: number,
): Promise<
  { outcome: 'acknowledged'; answer: TestAnswer } | { outcome: 'unknown' | 'gone'; answer?: never }
> {
  const answer = await call.catch(() => null);
  if (answer === null) return { outcome: 'gone' };
  if (answer.status === status) return { outcome: 'acknowledged', answer };
  if (answer.status === 503) return { outcome: 'unknown' };
  throw new Error(`The server answered ${answer.status}: ${answer.text}`);
}
