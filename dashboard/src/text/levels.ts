import type { NamedLimit } from './limits.ts';

/** Where a setting is made. */
export type Level = 'key' | 'customer' | 'plan';

export interface LimitOfLevel extends NamedLimit {
  readonly level: Level;
}

/**
 * The limits that apply together, the farthest level first. A limit replaces one of the same name of
 * a farther level, as on the server.
 */
export function combinedLimits(
  levels: readonly { readonly level: Level; readonly limits: readonly NamedLimit[] }[],
): readonly LimitOfLevel[] {
  const combined = new Map<string, LimitOfLevel>();
  for (const { level, limits } of levels)
    for (const limit of limits) combined.set(limit.name, { ...limit, level });
  return [...combined.values()];
}
