import { DAY } from './times.ts';

/** Range in a URL: `7d`, or two days, both included, joined by two dots. */
export type Range = '24h' | '7d' | '30d' | '90d' | 'month' | 'last-month' | `${string}..${string}`;

export const PRESETS = [
  { value: '24h', label: '24 hours', ms: DAY },
  { value: '7d', label: '7 days', ms: 7 * DAY },
  { value: '30d', label: '30 days', ms: 30 * DAY },
  { value: '90d', label: '90 days', ms: 90 * DAY },
] as const;

/** Calendar months. */
export const MONTHS = [
  { value: 'month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
] as const;

/** Parses a range of a URL. An invalid one becomes the last seven days. */
export function parseRange(text: unknown): Range {
  if (typeof text !== 'string') return '7d';
  if ([...PRESETS, ...MONTHS].some(({ value }) => value === text)) return text as Range;
  const [from, to] = text.split('..').map(dayNumber);
  return from !== undefined && to !== undefined && from <= to ? (text as Range) : '7d';
}

function dayNumber(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : at;
}
