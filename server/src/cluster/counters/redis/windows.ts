import { randomInt, randomUUID } from 'node:crypto';
import { costAt, type LimitCosts } from '@keyward/rules/limit-set.ts';
import type { CounterLimit, CounterSet, LeaseRequest } from '../counters.ts';
import {
  GIVE_BACK,
  GRANT,
  GRANT_EACH,
  LEASE,
  MERGE,
  RAISE,
  type Script,
  TAKE_SETS,
} from './scripts.ts';

/** Sends one command and resolves to its reply. */
export type Send = (args: readonly string[]) => Promise<unknown>;

/** Times are those of the Redis clock. */
export type Grant = readonly [granted: number, consumed: number, closesAt: number, now: number];

/** One request that counts in one fixed window. */
export interface WindowCheck {
  readonly counter: string;
  readonly limit: number;
  readonly ttlMs: number;
}

/** A request that counts in several windows. */
export interface SetCheck {
  readonly set: CounterSet;
  readonly costs: LimitCosts;
  /** Takes nothing. */
  readonly isDry: boolean;
}

/** What a check takes from one of its limits, if it is not refused. */
export const amountAt = ({ costs, isDry }: SetCheck, n: number): number =>
  isDry ? 0 : costAt(costs, n);

/** The reply for one limit of a set. Times are those of the Redis clock; `closesAt` is 0 if no window is open. */
export interface SetWindow {
  readonly isExceeded: boolean;
  readonly consumed: number;
  readonly resetAt: number;
  readonly closesAt: number;
}

export interface SetGrant {
  readonly windows: readonly SetWindow[];
  readonly now: number;
}

const SCRIPTS = [GRANT, GRANT_EACH, TAKE_SETS, LEASE, GIVE_BACK, MERGE, RAISE];
/** With two servers, all probes are on the same one with a probability of 1 in 30,000. */
const PROBES = 16;
const PROBE_MS = 10_000;

/** The kind of a window, as the scripts read it: `scripts.ts`. */
const kindOf = (
  { isSliding, calendar }: Pick<CounterLimit, 'isSliding' | 'calendar'>,
  now: number,
): string => {
  if (calendar === undefined) return isSliding ? '1' : '0';
  const [end, nextEnd] = calendar.endsAt(now);
  return `${end},${nextEnd}`;
};

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
  keyOf = (counter: string): string => {
    const end = counter.indexOf(':');
    if (end < 0) return `${this.#prefix}:{${counter}}`;
    return `${this.#prefix}:{${counter.slice(0, end)}}${counter.slice(end)}`;
  };

  /** Counts one request per check, in order. */
  grantEach(checks: readonly WindowCheck[]): Promise<readonly (Grant | Error)[]> {
    return this.#sendEach(
      checks,
      ({ counter }) => counter,
      (some) => (some.length === 1 ? this.#grantOne(some[0]!) : this.#grantBatch(some)),
    );
  }

  /** Takes the costs of each check, in order. `now`: by the clock of Redis, as far as it is known. */
  takeEach(checks: readonly SetCheck[], now: number): Promise<readonly (SetGrant | Error)[]> {
    return this.#sendEach(
      checks,
      ({ set }) => set.group,
      (some) => this.#takeSets(some, now),
    );
  }

  /** `now`: by the clock of Redis, as far as it is known. */
  async lease(request: LeaseRequest, now: number): Promise<Grant> {
    const { id, counter, limit, ttlMs, amount } = request;
    const args = [String(limit), String(ttlMs), String(amount), id, kindOf(request, now)];
    return (await this.#run(LEASE, [counter], args)) as Grant;
  }

  async giveBack(leaseId: string, counter: string, unused: number): Promise<number> {
    return (await this.#run(GIVE_BACK, [counter], [leaseId, String(unused)])) as number;
  }

  /** `slidingMs`: the length of a sliding window, otherwise 0. The closing time is 0 if there was nothing to subtract from. */
  async merge(counter: string, amount: number, leftMs: number, slidingMs: number): Promise<Grant> {
    const args = [String(amount), String(leftMs), String(slidingMs)];
    return (await this.#run(MERGE, [counter], args)) as Grant;
  }

  async raise(counter: string, least: number, leftMs: number): Promise<Grant> {
    return (await this.#run(RAISE, [counter], [String(least), String(leftMs)])) as Grant;
  }

  /** In one command if one server holds all windows, otherwise in one for each group. */
  async #sendEach<C, R>(
    checks: readonly C[],
    groupOf: (check: C) => string,
    send: (some: readonly C[]) => Promise<readonly (R | Error)[]>,
  ): Promise<readonly (R | Error)[]> {
    const sendSome = (some: readonly C[]) =>
      send(some).catch((error: Error) => some.map(() => error));
    if (this.#isSingleServer) return sendSome(checks);
    const replies: (R | Error)[] = [];
    const groups = Map.groupBy(checks.keys(), (n) => groupOf(checks[n]!));
    await Promise.all(
      [...groups.values()].map(async (indexes) => {
        const each = await sendSome(indexes.map((n) => checks[n]!));
        for (const [n, index] of indexes.entries()) replies[index] = each[n]!;
      }),
    );
    return replies;
  }

  async #grantOne({ counter, limit, ttlMs }: WindowCheck): Promise<Grant[]> {
    return [(await this.#run(GRANT, [counter], [String(limit), String(ttlMs)])) as Grant];
  }

  async #grantBatch(checks: readonly WindowCheck[]): Promise<(Grant | Error)[]> {
    const counters: string[] = [];
    const args: string[] = [];
    for (const { counter, limit, ttlMs } of checks) {
      counters.push(counter);
      args.push(String(limit), String(ttlMs));
    }
    const reply = (await this.#run(GRANT_EACH, counters, args)) as readonly (number | string)[];
    const [now] = reply;
    return checks.map((_, n) => {
      const [granted, consumed, resetAt] = [reply[3 * n + 1], reply[3 * n + 2], reply[3 * n + 3]];
      return typeof granted === 'string'
        ? new Error(granted)
        : ([granted, consumed, resetAt, now] as Grant);
    });
  }

  async #takeSets(checks: readonly SetCheck[], redisNow: number): Promise<(SetGrant | Error)[]> {
    const counters: string[] = [];
    const args: string[] = [];
    for (const { set, costs, isDry } of checks) {
      args.push(String(set.limits.length), isDry ? '0' : '1');
      for (const [n, each] of set.limits.entries()) {
        counters.push(each.counter);
        args.push(String(each.limit), String(each.ttlMs), kindOf(each, redisNow));
        args.push(each.isEnforced ? '1' : '0', String(costAt(costs, n)));
      }
    }
    const reply = (await this.#run(TAKE_SETS, counters, args)) as readonly (number | string)[];
    const now = reply[0] as number;
    let at = 1;
    return checks.map(({ set }) => {
      const error = reply[at++]!;
      const windows = set.limits.map(() => {
        const fields = reply.slice(at, at + 4) as [number, number, number, number];
        at += 4;
        const [exceeded, consumed, resetAt, closesAt] = fields;
        return { isExceeded: exceeded === 1, consumed, resetAt, closesAt };
      });
      return typeof error === 'string' ? new Error(error) : { windows, now };
    });
  }

  async #run(
    script: Script,
    counters: readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const rest = [String(counters.length), ...counters.map(this.keyOf), ...args];
    try {
      return await this.#send(['EVALSHA', script.sha, ...rest]);
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return this.#send(['EVAL', script.text, ...rest]);
    }
  }

  /**
   * Opens windows one by one, then reads all of them in one call of a script that checks use. A Redis Cluster
   * rejects this. A sharding proxy reads all of them from the server of the first key, which lacks some of
   * the others.
   */
  async #detectSingleServer(send: Send): Promise<boolean> {
    const mark = randomInt(1, 2 ** 31);
    const keys = Array.from({ length: PROBES }, () => this.keyOf(`probe-${randomUUID()}`));
    const opened = keys.map((key) =>
      send(['EVALSHA', MERGE.sha, '1', key, String(mark), String(PROBE_MS), '0']),
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
