import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));

/** The first access key of every server that a test starts. */
export const BOOTSTRAP_KEY = 'bootstrap-access-key-of-the-tests';

export interface ServerOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A file to start instead of the command line. */
  readonly entry?: string;
  /** An installed executable to start instead of the sources. */
  readonly executable?: string;
  /** A network namespace to run in, see harness/network-namespace.ts. */
  readonly namespace?: string;
}

/** The real server in a separate process, with its output. */
export class ChildServer {
  readonly process: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stdout = '';
  stderr = '';
  url = '';

  constructor({ dataDir, env = {}, entry, executable, namespace }: ServerOptions) {
    const within = namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace];
    const service =
      executable === undefined
        ? [process.execPath, ...(entry === undefined ? [ENTRY, 'serve'] : [entry])]
        : [executable, 'serve'];
    const [command, ...args] = [...within, ...service] as [string, ...string[]];
    // The test's own environment is not passed on: the server refuses unknown settings.
    this.process = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        KEYWARD_METRICS_PORT: '0',
        KEYWARD_DATA_DIR: dataDir,
        // Most tests have no load balancer that must notice the stop.
        KEYWARD_DRAIN_SECONDS: '0',
        ...env,
      },
    });
    this.process.stdout!.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.process.stderr!.on('data', (chunk) => {
      this.stderr += chunk;
    });
    // `close` instead of `exit`, because by then all output has been read.
    this.exited = once(this.process, 'close').then(([code, signal]) => ({ code, signal }));
  }

  get output(): string {
    return this.stdout + this.stderr;
  }

  /** Waits for the line with the server's address. */
  async ready(): Promise<this> {
    const failed = this.exited.then(({ code, signal }) => {
      throw new Error(`The server exited (${code ?? signal}) before it was ready: ${this.output}`);
    });
    failed.catch(() => {});
    while (this.url === '') {
      this.url = /is ready at (http:\S+)/.exec(this.stdout)?.[1] ?? '';
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 5)), failed]);
    }
    return this;
  }

  async end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }> {
    this.process.kill(signal);
    return this.exited;
  }
}

export const startServer = (options: ServerOptions): Promise<ChildServer> =>
  new ChildServer({
    ...options,
    env: { KEYWARD_BOOTSTRAP_ACCESS_KEY: BOOTSTRAP_KEY, ...options.env },
  }).ready();
