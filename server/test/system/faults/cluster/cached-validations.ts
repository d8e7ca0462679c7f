import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '../../../harness/test-client.ts';

const PAUSE_MS = 5;

/** Validates cached keys, one after the other on each node, and records the results. */
export class CachedValidations {
  readonly #clients: readonly TestClient[];
  readonly #keys: readonly string[];
  #isStopped = false;
  #running: Promise<unknown> = Promise.resolve();
  answered = 0;
  slowestMs = 0;
  /** Every response except 200. */
  readonly refusals: string[] = [];

  constructor(clients: readonly TestClient[], keys: readonly string[]) {
    this.#clients = clients;
    this.#keys = keys;
  }

  async start(): Promise<void> {
    for (const client of this.#clients)
      for (const key of this.#keys) await this.#validate(client, key);
    this.#isStopped = false;
    this.#running = Promise.all(this.#clients.map((client) => this.#run(client)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(client: TestClient): Promise<void> {
    for (let n = 0; !this.#isStopped; n++) {
      await this.#validate(client, this.#keys[n % this.#keys.length]!);
      await sleep(PAUSE_MS);
    }
  }

  async #validate(client: TestClient, key: string): Promise<void> {
    const startedAt = performance.now();
    const { status, text } = await client.post(`/api-keys/auth/${key}`);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    this.answered++;
    if (status !== 200) this.refusals.push(`${status} ${text}`);
  }
}
