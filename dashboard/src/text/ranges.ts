import { DAY, HOUR } from './times.ts';

/** How it stands in the address: `7d`, or two days with two dots between them, both included. */
export type Range = '24h' | '7d' | '30d' | '90d' | 'month' | 'last-month' | `${string}..${string}`;

export const PRESETS = [
  { value: '24h', label: '24 hours', ms: DAY },
  { value: '7d', label: '7 days', ms: 7 * DAY },
  { value: '30d', label: '30 days', ms: 30 * DAY },
  { value: '90d', label: '90 days', ms: 90 * DAY },
] as const;

/** Calendar months of the reader's time zone, for pages whose days are those of the reader. */
export const MONTHS = [
  { value: 'month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
] as const;

export type Interval = 'hour' | 'day' | 'week';

export interface RangeBounds {
  readonly from: number;
  readonly to: number;
  readonly interval: Interval;
}

/** What a text in the address means; anything odd is the last seven days. */
export function parseRange(text: unknown): Range {
  if (typeof text !== 'string') return '7d';
  if ([...PRESETS, ...MONTHS].some(({ value }) => value === text)) return text as Range;
  const [from, to] = text.split('..').map((day) => dayStart(day));
  return from !== undefined && to !== undefined && from <= to ? (text as Range) : '7d';
}

/** Where it begins and ends, on whole hours or days, so that buckets are whole as well. */
export function rangeBounds(range: Range, now: number): RangeBounds {
  const preset = PRESETS.find(({ value }) => value === range);
  if (range === 'month' || range === 'last-month') {
    const { from, to } = utcMonth(now, range === 'month' ? 0 : -1);
    return { from, to, interval: 'day' };
  }
  if (!preset) {
    const [from, to] = range.split('..').map((day) => dayStart(day));
    const end = to! + DAY;
    return { from: from!, to: end, interval: intervalFor(end - from!) };
  }
  const interval = intervalFor(preset.ms);
  const step = interval === 'hour' ? HOUR : DAY;
  const to = Math.floor(now / step) * step + step;
  return { from: to - preset.ms, to, interval };
}

function utcMonth(now: number, months: number): { from: number; to: number } {
  const date = new Date(now);
  const start = (of: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + of, 1);
  return { from: start(months), to: start(months + 1) };
}

/** The same length of time, just before. */
export const periodBefore = ({ from, to, interval }: RangeBounds): RangeBounds => ({
  from: from - (to - from),
  to: from,
  interval,
});

/** At most some two hundred buckets: more than a chart can show apart. */
function intervalFor(length: number): Interval {
  if (length <= 8 * DAY) return 'hour';
  return length <= 200 * DAY ? 'day' : 'week';
}

function dayStart(text: string | undefined): number | undefined {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : at;
}
