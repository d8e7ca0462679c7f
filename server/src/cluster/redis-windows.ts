import { randomInt, randomUUID } from 'node:crypto';
import { GIVE_BACK, GRANT, GRANT_EACH, MERGE, type Script } from './redis-scripts.ts';

/** One command and its answer. */
export type Send = (args: readonly string[]) => Promise<unknown>;

/** How many were granted, counted, when the window closes and what time it is, by Redis's clock. */
export type Grant = readonly [granted: number, consumed: number, resetAt: number, now: number];

export interface WindowCheck {
  readonly group: string;
  readonly limit: number;
  readonly ttlMs: number;
}

const SCRIPTS = [GRANT, GRANT_EACH, GIVE_BACK, MERGE];
/** Of two places, all of these fall into the same one once in 30,000 times. */
const PROBES = 16;
const PROBE_MS = 10_000;

/** The windows of one installation, and what can be asked of Redis about them. */
export class RedisWindows {
  readonly #send: Send;
  readonly #prefix: string;
  /** Whether one script may touch several windows: not where they are spread over several servers. */
  #areInOnePlace = false;

  constructor(send: Send, prefix: string) {
    this.#send = send;
    this.#prefix = prefix;
  }

  /** Once for every connection, before anything else is sent over it. */
  async prepare(send: Send): Promise<void> {
    for (const { text } of SCRIPTS) await send(['SCRIPT', 'LOAD', text]);
    this.#areInOnePlace = await this.#findInOnePlace(send);
  }

  async grant(check: WindowCheck, amount: number, leaseId: string): Promise<Grant> {
    const args = [String(check.limit), String(check.ttlMs), String(amount), leaseId];
    return (await this.#run(GRANT, [check.group], args)) as Grant;
  }

  /** One request for each, as if they were asked for one after the other. */
  async grantEach(checks: readonly WindowCheck[]): Promise<readonly (Grant | Error)[]> {
    if (this.#areInOnePlace && checks.length > 1) return this.#grantTogether(checks);
    const each = await Promise.allSettled(checks.map((check) => this.grant(check, 1, '')));
    return each.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error)));
  }

  async giveBack(leaseId: string, group: string, unused: number): Promise<number> {
    return (await this.#run(GIVE_BACK, [group], [leaseId, String(unused)])) as number;
  }

  async merge(group: string, amount: number, leftMs: number): Promise<void> {
    await this.#run(MERGE, [group], [String(amount), String(leftMs)]);
  }

  async #grantTogether(checks: readonly WindowCheck[]): Promise<(Grant | Error)[]> {
    const groups: string[] = [];
    const args: string[] = [];
    for (const { group, limit, ttlMs } of checks) {
      groups.push(group);
      args.push(String(limit), String(ttlMs));
    }
    const reply = (await this.#run(GRANT_EACH, groups, args)) as readonly (number | string)[];
    const [now] = reply;
    return checks.map((_, n) => {
      const [granted, consumed, resetAt] = [reply[3 * n + 1], reply[3 * n + 2], reply[3 * n + 3]];
      return typeof granted === 'string'
        ? new Error(granted)
        : ([granted, consumed, resetAt, now] as Grant);
    });
  }

  async #run(script: Script, groups: readonly string[], args: readonly string[]): Promise<unknown> {
    const rest = [String(groups.length), ...groups.map(this.#keyOf), ...args];
    try {
      return await this.#send(['EVALSHA', script.sha, ...rest]);
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return this.#send(['EVAL', script.text, ...rest]);
    }
  }

  // The braces are the hash tag: in a Redis Cluster the groups spread over all slots.
  #keyOf = (group: string): string => `${this.#prefix}:{${group}}`;

  /**
   * Windows are opened one by one and then looked at together, by the very scripts that checks use.
   * A Redis Cluster refuses that, and a proxy that shards sends all to the place of the first.
   */
  async #findInOnePlace(send: Send): Promise<boolean> {
    const mark = randomInt(1, 2 ** 31);
    const keys = Array.from({ length: PROBES }, () => this.#keyOf(`probe-${randomUUID()}`));
    const opened = keys.map((key) =>
      send(['EVALSHA', MERGE.sha, '1', key, String(mark), String(PROBE_MS)]),
    );
    const nothing = keys.flatMap(() => ['0', '1']);
    const looked = send(['EVALSHA', GRANT_EACH.sha, String(PROBES), ...keys, ...nothing]);
    const removed = keys.map((key) => send(['DEL', key]));
    const [answers] = await Promise.allSettled([looked, ...opened, ...removed]);
    if (answers.status === 'rejected') return false;
    const counted = (answers.value as unknown[]).slice(1).filter((_, n) => n % 3 === 1);
    return counted.length === PROBES && counted.every((count) => count === mark);
  }
}
