import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TakeResult } from '../../../src/cluster/counters/counters.ts';
import { RedisCounters } from '../../../src/cluster/counters/redis.ts';

const HOUR_MS = 3_600_000;
export const PREFIX = 'faults';
/** A check that takes longer counts as hanging: even a busy machine is faster. */
const RESPONSE_MS_MAX = 240_000;

/** The counters of several nodes, in one process. */
export class RedisNodes {
  readonly all: readonly RedisCounters[];
  /** What each node reported, such as `0 unavailable`. */
  readonly reports: string[] = [];

  private constructor(urls: readonly string[], timeoutMs: number | undefined) {
    this.all = urls.map(
      (url, n) =>
        new RedisCounters({
          url,
          prefix: PREFIX,
          ...(timeoutMs !== undefined && { timeoutMs }),
          nodes: () => urls.length,
          clock: Date.now,
          onUnavailable: () => this.reports.push(`${n} unavailable`),
          onRestored: () => this.reports.push(`${n} restored`),
          onFailover: () => this.reports.push(`${n} failed over`),
        }),
    );
  }

  static async start(urls: readonly string[], timeoutMs?: number): Promise<RedisNodes> {
    const nodes = new RedisNodes(urls, timeoutMs);
    await Promise.all(nodes.all.map((node) => node.start()));
    return nodes;
  }

  /** Fails instead of waiting forever. */
  async take(node: RedisCounters, group: string, limit: number): Promise<TakeResult> {
    const taken = node.take(group, limit, HOUR_MS, Date.now());
    if (!(taken instanceof Promise)) return taken;
    const tooLong = sleep(RESPONSE_MS_MAX, null, { ref: false });
    const response = await Promise.race([taken, tooLong]);
    if (response === null) throw new Error('A check hangs.');
    return response;
  }

  untilFailedOver(): Promise<void> {
    return this.#until(({ failovers }) => failovers > 0, true);
  }

  untilLocal(): Promise<void> {
    return this.#until(({ isShared }) => isShared, false);
  }

  async untilShared(): Promise<void> {
    const state = ({ isShared, unmerged }: RedisCounters) =>
      `shared: ${isShared}, ${unmerged} unmerged`;
    await this.#until(state, 'shared: true, 0 unmerged');
  }

  /** A failure names the state of each node. */
  #until<T>(read: (node: RedisCounters) => T, expected: T): Promise<void> {
    return expect.poll(() => this.all.map(read)).toEqual(this.all.map(() => expected));
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((node) => node.stop()));
  }
}

/** Checks the same groups on all nodes again and again, and counts what is admitted. */
export class RedisLoad {
  readonly admitted = new Map<string, number>();
  checks = 0;
  readonly #limit: number;
  readonly #nodes: RedisNodes;
  #isOver = false;
  readonly #running: Promise<unknown>;

  constructor(nodes: RedisNodes, groups: readonly string[], limit: number, pauseMs: number) {
    this.#nodes = nodes;
    this.#limit = limit;
    for (const group of groups) this.admitted.set(group, 0);
    this.#running = Promise.all(nodes.all.map((node) => this.#run(node, groups, pauseMs)));
    this.#running.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /**
   * By how much each group exceeded what may be admitted around a failover, on a machine of any speed.
   * Allowed are the requests admitted before the nodes noticed the failover, and then the shares of the
   * nodes: together at most one limit.
   */
  excess(untilNoticed: ReadonlyMap<string, number>): number[] {
    return [...this.admitted].map(
      ([group, count]) => count - this.#limit - untilNoticed.get(group)!,
    );
  }

  /** Resolves when each node has checked each group `times` more times on average. */
  async untilChecked(times: number): Promise<void> {
    const target = this.checks + times * this.admitted.size * this.#nodes.all.length;
    await Promise.race([this.#running, expect.poll(() => this.checks).toBeGreaterThan(target)]);
  }

  async #run(node: RedisCounters, groups: readonly string[], pauseMs: number): Promise<void> {
    for (; !this.#isOver; await sleep(pauseMs))
      await Promise.all(
        groups.map(async (group) => {
          const { allowed } = await this.#nodes.take(node, group, this.#limit);
          if (allowed) this.admitted.set(group, this.admitted.get(group)! + 1);
          this.checks++;
        }),
      );
  }
}

/** Sends twice the limit for each group, spread over all nodes; returns how many were admitted per group. */
export async function admittedOfTwiceTheLimit(
  nodes: RedisNodes,
  groups: readonly string[],
  limit: number,
): Promise<number[]> {
  const admitted = groups.map(() => 0);
  await Promise.all(
    groups.flatMap((group, index) =>
      Array.from({ length: 2 * limit }, async (_, n) => {
        const { allowed } = await nodes.take(nodes.all[n % nodes.all.length]!, group, limit);
        if (allowed) admitted[index]!++;
      }),
    ),
  );
  return admitted;
}
