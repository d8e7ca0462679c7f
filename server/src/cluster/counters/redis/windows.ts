import { randomInt, randomUUID } from 'node:crypto';
import { GIVE_BACK, GRANT, GRANT_EACH, MERGE, type Script } from './scripts.ts';

/** Sends one command and resolves to its reply. */
export type Send = (args: readonly string[]) => Promise<unknown>;

/** Times are those of the Redis clock. */
export type Grant = readonly [granted: number, consumed: number, resetAt: number, now: number];

export interface WindowCheck {
  readonly group: string;
  readonly limit: number;
  readonly ttlMs: number;
}

const SCRIPTS = [GRANT, GRANT_EACH, GIVE_BACK, MERGE];
/** With two servers, all probes are on the same one with a probability of 1 in 30,000. */
const PROBES = 16;
const PROBE_MS = 10_000;

/** Commands on the windows of one installation. */
export class RedisWindows {
  readonly #send: Send;
  readonly #prefix: string;
  /** Whether one script may use several windows: not if they are spread over several servers. */
  #isSingleServer = false;

  constructor(send: Send, prefix: string) {
    this.#send = send;
    this.#prefix = prefix;
  }

  /** Runs once per connection to a server, before any other command. */
  async prepare(send: Send): Promise<void> {
    await this.loadScripts(send);
    this.#isSingleServer = await this.#detectSingleServer(send);
  }

  async loadScripts(send: Send): Promise<void> {
    await Promise.all(SCRIPTS.map(({ text }) => send(['SCRIPT', 'LOAD', text])));
  }

  // The braces are the hash tag: in a Redis Cluster, groups are spread over all slots.
  keyOf = (group: string): string => `${this.#prefix}:{${group}}`;

  async grant(check: WindowCheck, amount: number, leaseId: string): Promise<Grant> {
    const args = [String(check.limit), String(check.ttlMs), String(amount), leaseId];
    return (await this.#run(GRANT, [check.group], args)) as Grant;
  }

  /** Counts one request per check, in order. A command has several checks if one server holds them all. */
  async grantEach(checks: readonly WindowCheck[]): Promise<readonly (Grant | Error)[]> {
    if (this.#isSingleServer) return this.#grantTogether(checks);
    const grants: (Grant | Error)[] = [];
    const groups = Map.groupBy(checks.keys(), (n) => checks[n]!.group);
    await Promise.all(
      [...groups.values()].map(async (places) => {
        const each = await this.#grantTogether(places.map((n) => checks[n]!));
        for (const [n, place] of places.entries()) grants[place] = each[n]!;
      }),
    );
    return grants;
  }

  async giveBack(leaseId: string, group: string, unused: number): Promise<number> {
    return (await this.#run(GIVE_BACK, [group], [leaseId, String(unused)])) as number;
  }

  /** The closing time is 0 if there was nothing to subtract from. */
  async merge(group: string, amount: number, leftMs: number): Promise<Grant> {
    return (await this.#run(MERGE, [group], [String(amount), String(leftMs)])) as Grant;
  }

  async #grantTogether(checks: readonly WindowCheck[]): Promise<readonly (Grant | Error)[]> {
    try {
      if (checks.length === 1) return [await this.grant(checks[0]!, 1, '')];
      return await this.#grantBatch(checks);
    } catch (error) {
      return checks.map(() => error as Error);
    }
  }

  async #grantBatch(checks: readonly WindowCheck[]): Promise<(Grant | Error)[]> {
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
    const rest = [String(groups.length), ...groups.map(this.keyOf), ...args];
    try {
      return await this.#send(['EVALSHA', script.sha, ...rest]);
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return this.#send(['EVAL', script.text, ...rest]);
    }
  }

  /**
   * Opens windows one by one, then reads them together with the scripts that checks use. A Redis
   * Cluster rejects this, and a sharding proxy reads all of them from the server of the first.
   */
  async #detectSingleServer(send: Send): Promise<boolean> {
    const mark = randomInt(1, 2 ** 31);
    const keys = Array.from({ length: PROBES }, () => this.keyOf(`probe-${randomUUID()}`));
    const opened = keys.map((key) =>
      send(['EVALSHA', MERGE.sha, '1', key, String(mark), String(PROBE_MS)]),
    );
    const args = keys.flatMap(() => ['0', '1']);
    const read = send(['EVALSHA', GRANT_EACH.sha, String(PROBES), ...keys, ...args]);
    const removed = keys.map((key) => send(['DEL', key]));
    const [reply] = await Promise.allSettled([read, ...opened, ...removed]);
    if (reply.status === 'rejected') return false;
    const counted = (reply.value as unknown[]).slice(1).filter((_, n) => n % 3 === 1);
    return counted.length === PROBES && counted.every((count) => count === mark);
  }
}
