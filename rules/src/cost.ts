/** Every project has these units. Others are declared in its `units`. */
export const REQUESTS = 'requests';
export const CREDITS = 'credits';

/** Units that a project can declare. */
export const UNITS_MAX = 16;
/** The most that a request can cost if its cost is one number. */
export const COST_MAX = 1_000_000;
/** The most that it can cost of a unit that is named. */
export const AMOUNT_MAX = 1_000_000_000;

const UNIT = /^[a-z0-9-]{1,32}$/;

/**
 * What a request costs: so many requests and credits, or an amount of each unit. The usual cost, 1, is a number, so
 * that it needs no memory. A map has `requests` and `credits`.
 */
export type Cost = number | ReadonlyMap<string, number>;

/** A cost as requests write it. */
export type CostInput = number | { readonly [unit: string]: number };

/** Its message is for the caller, without the name of the field. */
export class InvalidCost extends Error {}

const isBuiltInUnit = (unit: string): boolean => unit === REQUESTS || unit === CREDITS;

/** Whether a project can declare it. */
export const isUnit = (name: string): boolean => UNIT.test(name) && !isBuiltInUnit(name);

/** How much of a unit a request costs. */
export const amountOf = (cost: Cost, unit: string): number => {
  if (typeof cost !== 'number') return cost.get(unit) ?? 0;
  return isBuiltInUnit(unit) ? cost : 0;
};

/** Whether a request takes nothing of anything. */
export const isFree = (cost: Cost): boolean =>
  typeof cost === 'number' ? cost === 0 : [...cost.values()].every((amount) => amount === 0);

/** The first unit of a cost that is not among those that the project declares; null if there is none. */
export function undeclaredUnit(cost: Cost, declared: readonly string[]): string | null {
  if (typeof cost === 'number') return null;
  for (const unit of cost.keys()) if (!isBuiltInUnit(unit) && !declared.includes(unit)) return unit;
  return null;
}

/** Reads a cost in JSON. Whether its units are declared is not known here. */
export function readCost(input: unknown, least = 0): Cost {
  if (typeof input === 'object' && input !== null && !Array.isArray(input))
    return costOf(Object.entries(input));
  if (isAmount(input, COST_MAX) && input >= least) return input;
  throw new InvalidCost(
    `must be an integer from ${least} to ${COST_MAX}, or an object of units and amounts like {"tokens":1200}`,
  );
}

/** Reads a cost in a query: `3`, or `tokens:1200,credits:3`. */
export function readCostText(text: string, least = 0): Cost {
  if (!text.includes(':')) return readCost(/^\d{1,10}$/.test(text) ? Number(text) : text, least);
  return costOf(
    text.split(',').map((part) => {
      const [unit = '', amount = '', ...rest] = part.split(':');
      if (rest.length > 0) throw new InvalidCost('must be written like tokens:1200,credits:3');
      return [unit, /^\d{1,10}$/.test(amount) ? Number(amount) : amount] as const;
    }),
  );
}

function costOf(amounts: readonly (readonly [unit: string, amount: unknown])[]): Cost {
  if (amounts.length > UNITS_MAX + 2)
    throw new InvalidCost(`may name at most ${UNITS_MAX + 2} units`);
  const cost = new Map([
    [REQUESTS, 1],
    [CREDITS, 1],
  ]);
  const named = new Set<string>();
  for (const [unit, amount] of amounts) {
    if (!UNIT.test(unit))
      throw new InvalidCost(`names ${JSON.stringify(unit)}, which is not the name of a unit`);
    if (!isAmount(amount, AMOUNT_MAX))
      throw new InvalidCost(`must be an integer from 0 to ${AMOUNT_MAX} for "${unit}"`);
    if (named.has(unit)) throw new InvalidCost(`names "${unit}" twice`);
    named.add(unit);
    cost.set(unit, amount);
  }
  return cost;
}

const isAmount = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;

/** A cost as requests write it. */
export const costInput = (cost: Cost): CostInput =>
  typeof cost === 'number' ? cost : Object.fromEntries(cost);

/** A cost as queries write it. */
export const costText = (cost: CostInput): string =>
  typeof cost === 'number'
    ? String(cost)
    : Object.entries(cost)
        .map(([unit, amount]) => `${unit}:${amount}`)
        .join(',');
