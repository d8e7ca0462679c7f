/** A limit, and where it is set. */
interface LimitOfLevel<Limit, Level> {
  readonly limit: Limit;
  readonly level: Level;
}

/**
 * The limits that apply together, by name. `levels`: the least specific first, in the order plan, customer,
 * key. A limit replaces one of the same name of a less specific level.
 */
export function mergedLimits<Limit extends { readonly name: string }, Level>(
  levels: readonly { readonly level: Level; readonly limits: readonly Limit[] }[],
): ReadonlyMap<string, LimitOfLevel<Limit, Level>> {
  const merged = new Map<string, LimitOfLevel<Limit, Level>>();
  for (const { level, limits } of levels)
    for (const limit of limits) merged.set(limit.name, { limit, level });
  return merged;
}
