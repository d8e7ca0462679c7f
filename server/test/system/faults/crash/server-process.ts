import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../harness/free-port.ts';
import { resend } from '../../../harness/resend.ts';

const COMMAND = fileURLToPath(new URL('../../../../bin/keyward.mjs', import.meta.url));
export const ACCESS_KEY = 'an-access-key-for-fault-tests';

/** The service as users run it, in a process that a test can kill. */
export class ServerProcess {
  readonly url: string;
  readonly #dataDirectory: string;
  readonly #port: number;
  readonly #env: NodeJS.ProcessEnv;
  /** Log output of all runs. */
  readonly log: string[] = [];
  #child: ChildProcess | null = null;

  constructor(dataDirectory: string, port: number, env: NodeJS.ProcessEnv = {}) {
    this.#dataDirectory = dataDirectory;
    this.#env = env;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async on(dataDirectory: string, env?: NodeJS.ProcessEnv): Promise<ServerProcess> {
    return new ServerProcess(dataDirectory, await freePort(), env);
  }

  spawn(): void {
    const child = spawn(process.execPath, [COMMAND, 'serve'], {
      env: {
        PATH: process.env.PATH,
        PORT: String(this.#port),
        KEYWARD_DATA_DIR: this.#dataDirectory,
        KEYWARD_METRICS_PORT: '0',
        KEYWARD_DRAIN_SECONDS: '0',
        KEYWARD_BOOTSTRAP_ACCESS_KEY: ACCESS_KEY,
        KEYWARD_MANAGEMENT_LIMIT: '1000000',
        KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8',
        KEYWARD_LOG_LEVEL: 'info',
        ...this.#env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => this.log.push(text));
    this.#child = child;
  }

  async ready(): Promise<void> {
    for (;;) {
      const response = await fetch(`${this.url}/readyz`).catch(() => null);
      if (response?.ok) return;
      if (this.#child!.exitCode !== null) throw new Error(`The server exited: ${this.log.at(-1)}`);
      await sleep(5);
    }
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: ReturnType<typeof JSON.parse> }> {
    return resend(async () => {
      const response = await fetch(this.url + path, {
        method,
        headers: { 'x-api-key': ACCESS_KEY, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { status, headers } = response;
      return { status, headers, body: JSON.parse(await response.text()) };
    });
  }
}
