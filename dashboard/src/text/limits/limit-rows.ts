import { DEFAULT_LIMIT } from '@keyward/rules/default-limit.ts';
import { chosenWindow, type LimitChoice, limitChoice, type NamedLimit } from './limits.ts';

/** One limit of a form. */
export interface LimitRow
  extends Omit<LimitChoice, 'on'>,
    Pick<NamedLimit, 'name' | 'per' | 'algorithm' | 'mode'> {
  /** Identifies the row while its name is edited. */
  readonly row: number;
}

export const LIMITS_MAX = 4;

export const limitRows = (limits: readonly NamedLimit[]): readonly LimitRow[] =>
  limits.map(({ rateLimit, rateLimitTtl, ...limit }, row) => {
    const { on: _, ...window } = limitChoice({ rateLimit, rateLimitTtl });
    return { ...window, ...limit, row };
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
  };
}

export type CheckedLimits =
  | { readonly ok: true; readonly limits: NamedLimit[] }
  | { readonly ok: false; readonly row: number; readonly message: string };

/** The limits to send, or the first problem. */
export function checkLimitRows(rows: readonly LimitRow[]): CheckedLimits {
  const limits: NamedLimit[] = [];
  for (const { row, name: typed, per, algorithm, mode, ...window } of rows) {
    const name = typed.trim();
    const chosen = chosenWindow(window);
    if (!chosen.ok) return { ok: false, row, message: chosen.message };
    const problem = nameProblem(name, limits);
    if (problem !== null) return { ok: false, row, message: problem };
    limits.push({ name, ...chosen.configs, per, algorithm, mode });
  }
  return { ok: true, limits };
}

function nameProblem(name: string, others: readonly NamedLimit[]): string | null {
  if (!/^[a-z0-9-]{1,32}$/.test(name))
    return 'Enter a name of lower-case letters, digits and -, at most 32 characters.';
  if (name === DEFAULT_LIMIT) return 'The name “default” is reserved. Choose another name.';
  return others.some((one) => one.name === name) ? `Two limits are named “${name}”.` : null;
}
