import { hash } from 'node:crypto';
import { REQUESTS } from '@keyward/rules/cost.ts';
import { allLimits, hasNamedLimits } from '@keyward/rules/default-limit.ts';
import { CalendarWindows } from '../../cluster/counters/calendar-windows.ts';
import type { CounterLimit, CounterSet } from '../../cluster/counters/counters.ts';
import { rateLimitConfigs } from '../../kernel/schemas.ts';
import { CUSTOMER_ANCHOR } from './rules.ts';
import type { Limit } from './schema.ts';

/** 128 bits in base64url. */
const GROUP_LENGTH = 22;

/** Identifies a customer, with or without a record, by a hash: its id may contain any characters. */
export const customerGroup = (projectId: string, customAccountId: string): string =>
  `cst_${hash('sha256', `${projectId} ${customAccountId}`, 'base64url').slice(0, GROUP_LENGTH)}`;

/**
 * All limits of a key: `default`, then `limits`, its effective ones. They are not part of its policies, because it
 * shares those with other keys.
 */
export const limitsOfKey = (
  row: Parameters<typeof rateLimitConfigs>[0],
  limits: readonly Limit[],
): readonly Limit[] => allLimits(rateLimitConfigs(row), limits);

/** What a limit of a key counts. */
export interface CountedBy {
  readonly unit: string;
  /** Patterns of the requests that it applies to; null: all. */
  readonly patterns: readonly string[] | null;
}

export interface NamedCounters {
  readonly set: CounterSet;
  /** The names of `set.limits`. */
  readonly names: readonly string[];
  /** One for each of `set.limits`; null: all count all requests. */
  readonly countedBy: readonly CountedBy[] | null;
}

/**
 * The counters of all limits of a key. `customer`: the group of the key's customer. They are in one group, so that
 * Redis can take from all of them at once. Windows are kept under these names: with another name, an upgrade would
 * open a new window. `anchor`: see `customerAnchor`.
 */
export function counterSet(
  limitGroup: string,
  limits: readonly Limit[],
  customer: string | null,
  anchor: number,
): NamedCounters {
  const names = limits.map(({ name }) => name);
  // `default` alone counts under the name of the group, whether or not the key has a customer.
  if (!hasNamedLimits(names))
    return {
      set: {
        group: limitGroup,
        limits: limits.map((limit) => counterOf(limitGroup, limit, anchor)),
      },
      names,
      countedBy: null,
    };
  const group = customer ?? limitGroup;
  const ofKey = customer === null ? group : `${group}:${limitGroup}`;
  const counters = limits.map((limit) =>
    counterOf(`${limit.per === 'customer' ? group : ofKey}:${counterName(limit)}`, limit, anchor),
  );
  const countsAll = limits.every((limit) => limit.unit === undefined && limit.for === undefined);
  return {
    set: { group, limits: counters },
    names,
    countedBy: countsAll ? null : limits.map(countedBy),
  };
}

/** The end of a counter's name: a limit that counts something else, or by another interval, begins anew. */
export const counterName = ({ name, unit, interval }: Limit): string =>
  `${name}${unit === undefined ? '' : `:${unit}`}${interval === undefined ? '' : `/${interval}`}`;

const countedBy = (limit: Limit): CountedBy => ({
  unit: limit.unit ?? REQUESTS,
  patterns: limit.for ?? null,
});

/** About as long as windows by the calendar are. */
const LENGTH_SECONDS = { day: 86_400, week: 7 * 86_400, month: 31 * 86_400 };

function counterOf(counter: string, limit: Limit, customerAnchor: number): CounterLimit {
  const { interval, timezone = 'UTC', anchor } = limit;
  const common = {
    counter,
    limit: limit.rateLimit,
    ttlMs: windowSeconds(limit) * 1000,
    isSliding: limit.algorithm === 'sliding',
    isEnforced: limit.mode === 'enforce',
  };
  if (interval === undefined) return common;
  const start = anchor === CUSTOMER_ANCHOR ? customerAnchor : anchor && Date.parse(anchor);
  return {
    ...common,
    calendar: new CalendarWindows({ interval, timezone, anchor: start || null }),
  };
}

/** Of windows by the calendar: the longest that usually occurs. */
const windowSeconds = ({
  rateLimitTtl,
  interval,
}: Pick<Limit, 'rateLimitTtl' | 'interval'>): number =>
  interval === undefined ? rateLimitTtl! : LENGTH_SECONDS[interval];
