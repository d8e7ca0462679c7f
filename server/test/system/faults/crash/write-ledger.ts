import { BOOTSTRAP_KEY } from '../../../harness/child-server.ts';
import { scaled } from '../../../harness/scale.ts';
import type { SeededRandom } from '../../../harness/seeded-random.ts';
import {
  createTestClient,
  type TestClient,
  type TestResponse,
} from '../../../harness/test-client.ts';

interface KeyState {
  readonly name: string;
  readonly isActive: boolean;
}

/** One key: its last acknowledged state, and a requested state without a response. */
interface Entry {
  readonly id: string;
  readonly value: string;
  acknowledged: KeyState;
  requested: KeyState | null;
}

/** A key to which credits are added, and never spent. */
interface Prepaid {
  readonly id: string;
  acknowledged: number;
  /** Including additions without a response. */
  requested: number;
}

const WRITERS = 6;
const BATCH = 500;
const WAIT_MS_MAX = scaled(60_000, 5_000);

/** Writes continuously over several connections, and records every acknowledged change. */
export class WriteLedger {
  readonly #random: SeededRandom;
  readonly #entries: Entry[] = [];
  readonly #prepaid: Prepaid[] = [];
  #values = 0;
  /** Number of acknowledged changes. */
  acknowledged = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Starts the writers; returns a function that waits until all of them have stopped. */
  hammer(url: string): () => Promise<void> {
    const client = createTestClient(url, BOOTSTRAP_KEY);
    const writers = Array.from({ length: WRITERS }, () => this.#write(client));
    return async () => void (await Promise.all(writers));
  }

  /** Waits until `count` more changes are acknowledged; on a slow machine, at least one. */
  async untilAcknowledged(count: number): Promise<void> {
    const before = this.acknowledged;
    const enoughAt = performance.now() + WAIT_MS_MAX;
    const isEnough = () => this.acknowledged >= before + (performance.now() < enoughAt ? count : 1);
    while (!isEnough()) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** Each writer has its own keys, so that each key has at most one pending request. */
  async #write(client: TestClient): Promise<void> {
    const ownEntries: Entry[] = [];
    const { outcome: isMade, response: made } = await outcomeOf(
      client.post('/api-keys', { name: 'prepaid', credits: { remaining: 0 } }),
      201,
    );
    if (isMade === 'gone') return;
    const prepaid = made && { id: made.body.id, acknowledged: 0, requested: 0 };
    if (prepaid) this.#prepaid.push(prepaid);
    for (;;) {
      if (prepaid && this.#random.chance(0.1)) {
        const topUp = await this.#topUp(client, prepaid);
        if (topUp === 'gone') return;
        if (topUp === 'acknowledged') this.acknowledged++;
        continue;
      }
      const entry = this.#random.chance(0.4)
        ? undefined
        : ownEntries.at(this.#random.below(ownEntries.length));
      const outcome =
        entry === undefined
          ? await this.#create(client, ownEntries)
          : await this.#alter(client, entry);
      if (outcome === 'gone') return;
      if (outcome === 'acknowledged') this.acknowledged++;
      else if (entry !== undefined) ownEntries.splice(ownEntries.indexOf(entry), 1);
    }
  }

  async #topUp(client: TestClient, prepaid: Prepaid): Promise<Outcome> {
    const add = 1 + this.#random.below(9);
    prepaid.requested += add;
    const { outcome } = await outcomeOf(
      client.post(`/api-keys/${prepaid.id}/credits`, { add }),
      200,
    );
    if (outcome === 'acknowledged') prepaid.acknowledged += add;
    return outcome;
  }

  async #create(client: TestClient, ownEntries: Entry[]): Promise<Outcome> {
    const value = `power-loss-value-${this.#values++}`;
    const name = `made as ${value}`;
    const { outcome, response } = await outcomeOf(
      client.post('/api-keys', { name, key: value }),
      201,
    );
    if (outcome !== 'acknowledged') return outcome;
    const state = { name, isActive: true };
    const entry = { id: response.body.id, value, acknowledged: state, requested: null };
    ownEntries.push(entry);
    this.#entries.push(entry);
    return outcome;
  }

  async #alter(client: TestClient, entry: Entry): Promise<Outcome> {
    const { acknowledged, id } = entry;
    const path = `/api-keys/${id}`;
    const choice = this.#random.below(3);
    const requested: KeyState =
      choice === 0
        ? { ...acknowledged, name: `renamed ${this.#values++}` }
        : { ...acknowledged, isActive: choice === 1 };
    entry.requested = requested;
    const call =
      choice === 0
        ? client.patch(path, { name: requested.name })
        : choice === 1
          ? client.patch(`${path}/reactivate`)
          : client.delete(path);
    const { outcome } = await outcomeOf(call, 200);
    if (outcome !== 'acknowledged') return outcome;
    entry.acknowledged = requested;
    entry.requested = null;
    return outcome;
  }

  /** Keys that lack their acknowledged state; an unacknowledged change may be present or not. */
  async lostOn(url: string): Promise<string[]> {
    const client = createTestClient(url, BOOTSTRAP_KEY);
    const lost = await this.#lostCredits(client);
    for (let start = 0; start < this.#entries.length; start += BATCH) {
      const entries = this.#entries.slice(start, start + BATCH);
      const keys = entries.map((entry) => entry.value);
      let response = await client.post('/api-keys/auth', { keys });
      while (response.status === 503) response = await client.post('/api-keys/auth', { keys });
      if (response.status !== 200) return [`the server answered ${response.status}`];
      for (const [index, result] of response.body.entries()) {
        const entry = entries[index]!;
        const found = describeResult(result);
        const expected = [entry.acknowledged, entry.requested].map(
          (state) => state && describe(state),
        );
        if (!expected.includes(found))
          lost.push(`${entry.value}: acknowledged ${expected[0]}, found ${found}`);
        else this.#settle(entry, found);
      }
    }
    return lost;
  }

  async #lostCredits(client: TestClient): Promise<string[]> {
    const lost: string[] = [];
    for (const prepaid of this.#prepaid) {
      const { id, acknowledged, requested } = prepaid;
      const { status, body } = await client.get(`/api-keys/${id}`);
      const found = body?.credits?.remaining;
      if (status !== 200 || !(found >= acknowledged && found <= requested))
        lost.push(`${id}: ${acknowledged} to ${requested} credits, found ${found} (${status})`);
      else {
        prepaid.acknowledged = found;
        prepaid.requested = found;
      }
    }
    return lost;
  }

  /** A pending request turned out to be applied or not. Later rounds must find the same state. */
  #settle(entry: Entry, found: string): void {
    if (entry.requested !== null && describe(entry.requested) === found)
      entry.acknowledged = entry.requested;
    entry.requested = null;
  }
}

const describe = (state: KeyState): string => (state.isActive ? state.name : 'key_revoked');

const describeResult = (result: { code: string; record?: { name: string } }): string =>
  result.record?.name ?? result.code;

/**
 * `gone`: the connection failed. `unknown`: a storage timeout (503), the change may or may not have
 * been made. This load cannot cause any other error.
 */
type Outcome = 'acknowledged' | 'unknown' | 'gone';

async function outcomeOf(
  call: Promise<TestResponse>,
  status: number,
): Promise<
  | { outcome: 'acknowledged'; response: TestResponse }
  | { outcome: 'unknown' | 'gone'; response?: never }
> {
  const response = await call.catch(() => null);
  if (response === null) return { outcome: 'gone' };
  if (response.status === status) return { outcome: 'acknowledged', response };
  if (response.status === 503) return { outcome: 'unknown' };
  throw new Error(`The server answered ${response.status}: ${response.text}`);
}
