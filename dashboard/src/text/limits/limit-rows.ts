import { REQUESTS } from '@keyward/rules/cost.ts';
import { DEFAULT_LIMIT } from '@keyward/rules/default-limit.ts';
import {
  type CalendarInterval,
  CUSTOMER_ANCHOR,
  chosenWindow,
  type LimitChoice,
  type LimitUnit,
  limitChoice,
  type NamedLimit,
} from './limits.ts';
import { itemsOf } from './policies.ts';

/** One limit of a form. */
export interface LimitRow
  extends Omit<LimitChoice, 'on' | 'unit'>,
    Pick<NamedLimit, 'name' | 'per' | 'algorithm' | 'mode'> {
  /** Of the window. */
  readonly unit: LimitUnit | CalendarUnit;
  /** The unit that it counts. */
  readonly counts: string;
  /** Patterns, separated by spaces. */
  readonly resources: string;
  /** Only of windows by the calendar. */
  readonly timezone: string;
  readonly anchor: string;
  /** Identifies the row while its name is edited. */
  readonly row: number;
}

export const LIMITS_MAX = 8;

type CalendarUnit = `calendar ${CalendarInterval}`;

/** The interval of a window by the calendar; undefined for others. */
export const intervalOf = (unit: LimitRow['unit']): CalendarInterval | undefined =>
  unit.startsWith('calendar ') ? (unit.slice('calendar '.length) as CalendarInterval) : undefined;

export const limitRows = (limits: readonly NamedLimit[]): readonly LimitRow[] =>
  limits.map(({ name, per, algorithm, mode, ...limit }, row) => {
    const { rateLimit, rateLimitTtl = 60, interval, timezone = '', anchor = '' } = limit;
    const { on: _, ...window } = limitChoice({ rateLimit, rateLimitTtl });
    return {
      ...window,
      ...(interval && { unit: `calendar ${interval}` as const }),
      ...{ name, per, algorithm, mode, row, timezone, anchor },
      counts: limit.unit ?? REQUESTS,
      resources: limit.for?.join(' ') ?? '',
    };
  });

/** Names of new limits, with the window that they suggest. */
const SUGGESTED = [
  { name: 'minute', unit: 'minute', requests: '100' },
  { name: 'day', unit: 'day', requests: '10000' },
  { name: 'second', unit: 'second', requests: '10' },
  { name: 'hour', unit: 'hour', requests: '1000' },
] as const;

export function newLimitRow(rows: readonly LimitRow[]): LimitRow {
  const row = Math.max(-1, ...rows.map((one) => one.row)) + 1;
  const free = SUGGESTED.find(({ name }) => rows.every((one) => one.name !== name));
  return {
    ...(free ?? { ...SUGGESTED[0], name: `limit-${row + 1}` }),
    row,
    length: '1',
    per: 'key',
    algorithm: 'fixed',
    mode: 'enforce',
    counts: REQUESTS,
    resources: '',
    timezone: '',
    anchor: '',
  };
}

export type CheckedLimits =
  | { readonly ok: true; readonly limits: NamedLimit[] }
  | { readonly ok: false; readonly row: number; readonly message: string };

/** The limits to send, or the first problem. */
export function checkLimitRows(rows: readonly LimitRow[]): CheckedLimits {
  const limits: NamedLimit[] = [];
  for (const { row, name: typed, per, mode, counts, resources, ...window } of rows) {
    const name = typed.trim();
    const chosen = windowOf(window);
    if (!chosen.ok) return { ok: false, row, message: chosen.message };
    const problem = nameProblem(name, limits);
    if (problem !== null) return { ok: false, row, message: problem };
    const patterns = itemsOf(resources);
    limits.push({
      ...{ name, per, mode, ...chosen.window },
      ...(counts !== REQUESTS && { unit: counts }),
      ...(patterns.length > 0 && { for: patterns }),
    });
  }
  return { ok: true, limits };
}

type Window = Pick<
  NamedLimit,
  'rateLimit' | 'rateLimitTtl' | 'algorithm' | 'interval' | 'timezone' | 'anchor'
>;

/** A window by the calendar is always fixed. */
function windowOf(
  choice: Pick<LimitRow, 'requests' | 'length' | 'unit' | 'algorithm' | 'timezone' | 'anchor'>,
):
  | { readonly ok: true; readonly window: Window }
  | { readonly ok: false; readonly message: string } {
  const { requests, length, unit, algorithm } = choice;
  const interval = intervalOf(unit);
  const [timezone, anchor] = [choice.timezone.trim(), choice.anchor.trim()];
  if (interval === undefined) {
    const chosen = chosenWindow({ requests, length, unit: unit as LimitUnit });
    return chosen.ok ? { ok: true, window: { ...chosen.configs, algorithm } } : chosen;
  }
  const chosen = chosenWindow({ requests, length: '1', unit: 'day' });
  if (!chosen.ok) return chosen;
  if (anchor !== '' && anchor !== CUSTOMER_ANCHOR && Number.isNaN(Date.parse(anchor)))
    return { ok: false, message: 'Enter the anchor as a date, a date and time, or “customer”.' };
  const { rateLimit } = chosen.configs;
  return {
    ok: true,
    window: {
      ...{ rateLimit, algorithm: 'fixed', interval },
      ...(timezone !== '' && { timezone }),
      ...(anchor !== '' && { anchor }),
    },
  };
}

function nameProblem(name: string, others: readonly NamedLimit[]): string | null {
  if (!/^[a-z0-9-]{1,32}$/.test(name))
    return 'Enter a name of lower-case letters, digits and -, at most 32 characters.';
  if (name === DEFAULT_LIMIT) return 'The name “default” is reserved. Choose another name.';
  return others.some((one) => one.name === name) ? `Two limits are named “${name}”.` : null;
}
