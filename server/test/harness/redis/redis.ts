import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { freePort } from '../free-port.ts';

const COMMANDS = ['redis-server', 'valkey-server'];

/** Sends one command on a connection of its own, which sends nothing else. */
export async function sendOnce(url: string, [command, ...args]: string[]): Promise<unknown> {
  const client = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.call(command!, args);
  } finally {
    client.disconnect();
  }
}

/** A Redis server for one test, which may stop, freeze or kill it. Stores nothing on disk. */
export class TestRedis {
  readonly port: number;
  readonly #folder: string;
  readonly #settings: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(port: number, folder: string, settings: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#settings = settings;
  }

  static async start(settings: readonly string[] = []): Promise<TestRedis> {
    const folder = await mkdtemp(join(tmpdir(), 'keyward-redis-'));
    const redis = new TestRedis(await freePort(), folder, settings);
    await redis.launch();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server: with no data, and always on the same port. */
  async launch(): Promise<void> {
    const command = process.env.REDIS_SERVER ?? findOnPath(COMMANDS);
    if (command === null) throw new Error('redis-server is not installed.');
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const quiet = ['--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
    const all = [...args, ...quiet, ...this.#settings];
    this.#process = spawn(command, all, { stdio: 'ignore' });
    await this.#untilReady();
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process!.kill(signal);
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  command(...args: string[]): Promise<unknown> {
    return sendOnce(this.url, args);
  }

  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #untilReady(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await this.command('PING');
        return;
      } catch (error) {
        if (tries > 200) throw error;
        await sleep(25);
      }
    }
  }
}
