import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { freePort } from '../free-port.ts';
import { sendOnce, TestRedis } from './redis.ts';
import { untilInfo } from './redis-cluster.ts';

const SENTINEL_NAME = 'keyward-test';
const DOWN_AFTER_MS = 2_000;

/** A master with one replica, watched by three Sentinels. */
export class TestSentinels {
  readonly master: TestRedis;
  readonly replica: TestRedis;
  readonly #folder: string;
  readonly #ports: readonly number[];
  readonly #processes: ChildProcess[] = [];

  private constructor(servers: readonly TestRedis[], folder: string, ports: readonly number[]) {
    [this.master, this.replica] = servers as [TestRedis, TestRedis];
    this.#folder = folder;
    this.#ports = ports;
  }

  static async start(): Promise<TestSentinels> {
    const quick = ['--repl-diskless-sync-delay', '0'];
    const servers = await Promise.all([TestRedis.start(quick), TestRedis.start(quick)]);
    const [master, replica] = servers as [TestRedis, TestRedis];
    await replica.command('REPLICAOF', '127.0.0.1', String(master.port));
    await untilInfo(replica, 'REPLICATION', 'master_link_status:up');
    const folder = await mkdtemp(join(tmpdir(), 'keyward-sentinel-'));
    const ports = [await freePort(), await freePort(), await freePort()];
    const all = new TestSentinels(servers, folder, ports);
    for (const port of ports) await all.#launch(port);
    await all.#untilAllKnown();
    return all;
  }

  get url(): string {
    const hosts = this.#ports.map((port) => `127.0.0.1:${port}`).join(',');
    return `redis-sentinel://${hosts}/${SENTINEL_NAME}`;
  }

  /** Makes the replica the master, while the master still responds. */
  async failOver(): Promise<void> {
    await askSentinel(this.#ports[0]!, ['SENTINEL', 'FAILOVER', SENTINEL_NAME]);
  }

  async dispose(): Promise<void> {
    for (const child of this.#processes) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await Promise.all([this.master.dispose(), this.replica.dispose()]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #launch(port: number): Promise<void> {
    const file = join(this.#folder, `${port}.conf`);
    const settings = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${this.#folder}`,
      'loglevel warning',
      `sentinel monitor ${SENTINEL_NAME} 127.0.0.1 ${this.master.port} 2`,
      `sentinel down-after-milliseconds ${SENTINEL_NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${SENTINEL_NAME} 10000`,
    ];
    await writeFile(file, `${settings.join('\n')}\n`);
    const command = process.env.REDIS_SERVER ?? findOnPath(['redis-server', 'valkey-server'])!;
    this.#processes.push(spawn(command, [file, '--sentinel'], { stdio: 'ignore' }));
  }

  /** A failover needs a majority, and every Sentinel must know the replica. */
  async #untilAllKnown(): Promise<void> {
    for (const port of this.#ports)
      for (let tries = 0; ; tries++) {
        const text = await askSentinel(port, ['INFO', 'SENTINEL']).catch(String);
        if (/slaves=1,sentinels=3/.test(text)) break;
        if (tries > 1_200) throw new Error(`The Sentinels do not find each other: ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
  }
}

const askSentinel = async (port: number, command: string[]): Promise<string> =>
  String(await sendOnce(`redis://127.0.0.1:${port}`, command));
