import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ACCESS_KEY, type Keyward } from './keyward.ts';
import { cpuMicros, LOAD_CORE, runProcess } from './processes.ts';

const SCRIPT = fileURLToPath(new URL('load.lua', import.meta.url));
/** Longer than the interval of usage flushes: each turn pays for the flush that it caused. */
const FLUSH_PAUSE_MS = 350;
const KEYS_PER_FILL = 100;
const RETRIES = 3;

interface Output {
  readonly requests: number;
  readonly seconds: number;
  readonly p99Ms: number;
  readonly rejected: number;
  readonly failed: number;
}

export interface Sample {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  /** CPU time of the server, all threads. */
  readonly cpuMicrosPerRequest: number;
}

export interface LoadOptions {
  readonly port: number;
  readonly pid: number;
  /** See load.lua for the format. */
  readonly requestsFile: string;
  readonly accessKey?: string;
  readonly connections?: number;
  /** Whether every response must be 2xx, or must be 4xx. */
  readonly expects?: 'success' | 'rejection';
  readonly pauseMs?: number;
}

/** One kind of request to one server. Each run continues in the file where the last one stopped. */
export class Load {
  readonly samples: Sample[] = [];
  readonly #options: LoadOptions;
  #sent = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Sends requests for some seconds. */
  async run(seconds: number): Promise<Sample> {
    const { pid, pauseMs = FLUSH_PAUSE_MS } = this.#options;
    const before = cpuMicros(pid);
    let output = await this.#send(seconds);
    // On a busy machine the load generator may get no CPU time in a short turn.
    for (let n = 0; n < RETRIES && output.requests === 0; n++) output = await this.#send(seconds);
    this.#check(output);
    const { requests, seconds: lasted, p99Ms } = output;
    await sleep(pauseMs);
    return {
      requests,
      perSecond: requests / lasted,
      p99Ms,
      cpuMicrosPerRequest: (cpuMicros(pid) - before) / requests,
    };
  }

  /** The same, kept as a sample. */
  async measure(seconds: number): Promise<void> {
    this.samples.push(await this.run(seconds));
  }

  async runRequests(atLeast: number, seconds = 1): Promise<void> {
    const end = this.#sent + atLeast;
    while (this.#sent < end) await this.run(seconds);
  }

  values(of: keyof Sample): number[] {
    return this.samples.map((sample) => sample[of]);
  }

  async #send(seconds: number): Promise<Output> {
    const { port, requestsFile, accessKey = ACCESS_KEY, connections = 64 } = this.#options;
    const args = [
      '--threads=1',
      `--connections=${connections}`,
      `--duration=${Math.ceil(seconds)}s`,
      '--latency',
      '--timeout=10s',
      `--script=${SCRIPT}`,
      `http://127.0.0.1:${port}`,
      ...['--', requestsFile, accessKey, String(this.#sent)],
    ];
    // wrk takes whole seconds only. When interrupted, it reports what it has measured so far.
    const interrupt = Number.isInteger(seconds) ? {} : { interruptAfterMs: seconds * 1000 };
    const printed = await runProcess('wrk', args, { core: LOAD_CORE, ...interrupt });
    const line = printed.split('\n').findLast((text) => text.startsWith('{'));
    if (line === undefined) throw new Error(`wrk printed no result:\n${printed}`);
    const output = JSON.parse(line) as Output;
    this.#sent += output.requests;
    return output;
  }

  #check({ requests, rejected, failed }: Output): void {
    const expected = this.#options.expects === 'rejection' ? rejected : requests - rejected;
    if (requests === 0) throw new Error('The server did not answer under load.');
    if (failed > 0) throw new Error(`${failed} requests failed under load.`);
    if (expected < requests)
      throw new Error(`${requests - expected} of ${requests} responses have an unexpected status.`);
  }
}

/** Writes single validations of these keys; with `perCall`, batches of so many keys. */
export function writeValidations(
  folder: string,
  name: string,
  keys: readonly string[],
  perCall = 1,
): string {
  const lines: string[] = [];
  for (let start = 0; start < keys.length; start += perCall)
    lines.push(
      perCall === 1
        ? `/api-keys/auth/${keys[start]}`
        : `/api-keys/auth\t${JSON.stringify({ keys: keys.slice(start, start + perCall) })}`,
    );
  return writeRequests(folder, name, lines);
}

export function writeRequests(folder: string, name: string, lines: readonly string[]): string {
  const file = join(folder, `${name}.requests`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Validates every key at least once, in batches, so that all are cached. */
export async function fillCache(
  { port, pid, folder }: Keyward,
  keys: readonly string[],
): Promise<void> {
  const requestsFile = writeValidations(folder, 'fill', keys, KEYS_PER_FILL);
  const load = new Load({ port, pid, requestsFile });
  // Slightly more than once: requests in flight when a run ends are not counted.
  await load.runRequests((1.2 * keys.length) / KEYS_PER_FILL);
}
