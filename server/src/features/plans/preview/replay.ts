import { usedAt, type Window, windowAt } from '../../../cluster/counters/sliding-window.ts';

/** A limit, or the credits of a plan, that requests are replayed through. */
export interface ReplayedLimit {
  readonly name: string;
  /** Requests or credits in a window. */
  readonly limit: number;
  readonly per: 'key' | 'customer';
  readonly isSliding: boolean;
  /** False: counts what does not fit, but refuses nothing. */
  readonly isEnforced: boolean;
  /** Length of a window that opens at `time`. */
  lengthAt(time: number): number;
}

/** The last window of each limit, by the position of the limit. */
export type Windows = (Window | undefined)[];

/** The windows that a key counts in. */
export interface ReplayedKey {
  readonly own: Windows;
  /** The windows of its customer; the same as `own` for a key without a customer. */
  readonly shared: Windows;
  /** Positions of limits that do not apply to the key. */
  readonly exempt: ReadonlySet<number>;
}

/** Requests of the same cost at the same time. */
export interface Requests {
  readonly count: number;
  readonly cost: number;
}

export interface ReplayResult {
  /** Requests that an enforced limit refused. */
  readonly refused: number;
  /** For each limit, enforced or not: how many requests did not fit. */
  readonly exceeded: readonly number[];
}

/**
 * Gives the same results as taking the requests one after the other from the counters of validations: a
 * request that an enforced limit refuses takes nothing, and a limit in shadow mode takes what fits. The
 * requests are equal, so it is enough to compute how many of them fit into each limit.
 */
export function replay(
  limits: readonly ReplayedLimit[],
  key: ReplayedKey,
  { count, cost }: Requests,
  time: number,
): ReplayResult {
  const exceeded = limits.map(() => 0);
  if (cost === 0) return { refused: 0, exceeded };
  const open = limits.map((limit, n) =>
    key.exempt.has(n) ? null : openWindow(limit, key, n, time),
  );
  const fitting = limits.map((limit, n) => {
    const window = open[n]!;
    if (window === null) return Number.POSITIVE_INFINITY;
    return Math.max(0, Math.floor((limit.limit - usedAt(window, limit, time)) / cost));
  });
  const admitted = Math.min(count, ...fitting.filter((_, n) => limits[n]!.isEnforced));
  const refused = count - admitted;
  for (const [n, window] of open.entries()) {
    if (window === null) continue;
    const taken = Math.min(admitted, fitting[n]!);
    if (taken > 0) {
      window.consumed += taken * cost;
      windowsOf(limits[n]!, key)[n] = window;
    }
    exceeded[n] = admitted - taken + (fitting[n]! === taken ? refused : 0);
  }
  return { refused, exceeded };
}

const windowsOf = ({ per }: ReplayedLimit, key: ReplayedKey): Windows =>
  per === 'customer' ? key.shared : key.own;

function openWindow(limit: ReplayedLimit, key: ReplayedKey, n: number, time: number): Window {
  const stored = windowsOf(limit, key)[n];
  const { isSliding } = limit;
  // `lengthAt` is slow for refill intervals, and is needed only for a new window.
  if (!isSliding && stored !== undefined && stored.closesAt > time) return stored;
  return windowAt(stored, { counter: '', ttlMs: limit.lengthAt(time), isSliding }, time);
}

/** What was recorded of one key in one minute. */
export interface RecordedMinute {
  readonly valid: number;
  /** The sum of the costs of valid requests. */
  readonly cost: number;
  /** Requests that a limit or missing credits refused. */
  readonly refused: number;
}

/**
 * The requests of a minute. Only the sum of the costs of valid requests is known, so it is divided evenly.
 * The cost of refused requests was not recorded; each counts as 1.
 */
export function requestsOf({ valid, cost, refused }: RecordedMinute): Requests[] {
  const each = valid === 0 ? 0 : Math.floor(cost / valid);
  const costlierCount = cost - each * valid;
  const all = [
    { count: costlierCount, cost: each + 1 },
    { count: valid - costlierCount, cost: each },
    { count: refused, cost: 1 },
  ];
  return all.filter(({ count }) => count > 0);
}
