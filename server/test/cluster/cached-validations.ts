import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '../harness/test-client.ts';

const PAUSE_MS = 5;

/** Validates keys that nodes hold in memory, one after the other on each node, and what came of it. */
export class CachedValidations {
  readonly #clients: readonly TestClient[];
  readonly #keys: readonly string[];
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();
  answered = 0;
  slowestMs = 0;
  /** Every answer but 200. */
  readonly refusals: string[] = [];

  constructor(clients: readonly TestClient[], keys: readonly string[]) {
    this.#clients = clients;
    this.#keys = keys;
  }

  async start(): Promise<void> {
    for (const client of this.#clients) for (const key of this.#keys) await this.#ask(client, key);
    this.#isOver = false;
    this.#running = Promise.all(this.#clients.map((client) => this.#go(client)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #go(client: TestClient): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      await this.#ask(client, this.#keys[n % this.#keys.length]!);
      await sleep(PAUSE_MS);
    }
  }

  async #ask(client: TestClient, key: string): Promise<void> {
    const began = performance.now();
    const { status, text } = await client.post(`/api-keys/auth/${key}`);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
    this.answered++;
    if (status !== 200) this.refusals.push(`${status} ${text}`);
  }
}
