import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { exchange } from './test-edge.ts';

const ENTRY = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));

export interface ChildEdgeOptions {
  readonly upstreamUrl: string;
  readonly accessKey: string;
  readonly args?: readonly string[];
  /** An installed executable to start instead of the sources. */
  readonly executable?: string;
  /** The Node that runs the sources. */
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A real edge in a separate process. */
export class ChildEdge {
  readonly process: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  output = '';

  constructor(options: ChildEdgeOptions) {
    const { upstreamUrl, accessKey, args = [], executable, env = {} } = options;
    const { node = process.execPath } = options;
    const listen = args.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
    const [command, ...first] = executable === undefined ? [node, ENTRY] : [executable];
    this.process = spawn(command!, [...first, 'edge', ...listen, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        KEYWARD_UPSTREAM_URL: upstreamUrl,
        KEYWARD_ACCESS_KEY: accessKey,
        // Long, so that a slow server is not taken for an unreachable one.
        KEYWARD_UPSTREAM_TIMEOUT_SECONDS: '240',
        // Most tests have no load balancer that must notice the stop.
        KEYWARD_DRAIN_SECONDS: '0',
        ...env,
      },
    });
    for (const stream of [this.process.stdout!, this.process.stderr!])
      stream.on('data', (chunk) => {
        this.output += chunk;
      });
    this.exited = once(this.process, 'close').then(([code, signal]) => ({ code, signal }));
  }

  /** The address of the first process that listens. */
  get address(): string {
    return /^Keyward edge is ready at (\S+), for the server \S+$/m.exec(this.output)?.[1] ?? '';
  }

  /** Waits until the edge listens and has its stream of changes. */
  async ready(): Promise<this> {
    let hasExited = false;
    void this.exited.then(() => {
      hasExited = true;
    });
    for (;;) {
      if (hasExited) throw new Error(`The edge exited before it was ready: ${this.output}`);
      const { address } = this;
      const request = { method: 'GET', path: '/readyz' };
      if (address !== '' && (await exchange(address, request)).status === 200) return this;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }> {
    this.process.kill(signal);
    return this.exited;
  }
}

export const startEdge = (options: ChildEdgeOptions): Promise<ChildEdge> =>
  new ChildEdge(options).ready();
