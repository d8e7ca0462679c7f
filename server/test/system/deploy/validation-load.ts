import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

interface Target {
  readonly url: string;
  readonly accessKey: string;
  readonly key: string;
}

/** Half of the clients keep their connections, the others open one for each request. */
const CLIENTS = 8;
const PAUSE_MS = 20;

/** Clients that validate a key one after the other until they are stopped, and what did not succeed. */
export class ValidationLoad {
  requests = 0;
  readonly failures: string[] = [];
  readonly #target: Target;
  readonly #clients: Promise<void>[];
  #isStopped = false;

  constructor(target: Target) {
    this.#target = target;
    this.#clients = Array.from({ length: CLIENTS }, (_, n) => this.#run(n % 2 === 0));
  }

  /** Waits until `count` more requests have been answered. */
  async more(count: number): Promise<void> {
    const goal = this.requests + count;
    while (this.requests < goal) await wait(PAUSE_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #run(keepAlive: boolean): Promise<void> {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!this.#isStopped) {
      const outcome = await this.#validate(agent).catch((error) => String(error.code ?? error));
      this.requests++;
      if (outcome !== '200') this.failures.push(outcome);
      await wait(Math.random() * 2 * PAUSE_MS);
    }
    agent.destroy();
  }

  async #validate(agent: Agent): Promise<string> {
    const { url, accessKey, key } = this.#target;
    const headers = { 'x-api-key': accessKey, 'content-type': 'application/json' };
    const outgoing = request(`${url}/api-keys/auth`, { method: 'POST', headers, agent });
    outgoing.end(JSON.stringify({ key }));
    const [response] = await once(outgoing, 'response');
    const body = await text(response);
    return response.statusCode === 200 ? '200' : `${response.statusCode} ${body}`;
  }
}
