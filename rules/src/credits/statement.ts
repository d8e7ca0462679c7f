import type { Entry, EntryKind } from './pool.ts';

/** How the lines of a statement change the balance. The compiler asks for a new kind here. */
export const SIGN: Readonly<Record<EntryKind, 1 | -1>> = {
  refilled: 1,
  purchased: 1,
  bonus: 1,
  adjusted: 1,
  expired: -1,
  consumed: -1,
};

/** A period of a pool: `opening` and the sums of all kinds add up to `closing`. */
export interface Statement extends Readonly<Record<EntryKind, number>> {
  readonly opening: number;
  readonly closing: number;
  readonly entries: readonly Entry[];
}

/** By how much entries change the balance. */
export const changeOf = (entries: readonly Pick<Entry, 'kind' | 'amount'>[]): number =>
  entries.reduce((sum, { kind, amount }) => sum + SIGN[kind] * amount, 0);

/** The statement of a period, from the balance after it. Entries of one line are added up. */
export function statementOf(entries: readonly Entry[], closing: number): Statement {
  const sums = Object.fromEntries(Object.keys(SIGN).map((kind) => [kind, 0])) as Record<
    EntryKind,
    number
  >;
  const lines = new Map<string, Entry>();
  for (const entry of entries) {
    sums[entry.kind] += entry.amount;
    const name = `${entry.day} ${entry.kind} ${entry.ref}`;
    lines.set(name, { ...entry, amount: entry.amount + (lines.get(name)?.amount ?? 0) });
  }
  const shown = [...lines.values()].filter(({ amount }) => amount !== 0);
  const opening = closing - changeOf(entries);
  return { opening, ...sums, closing, entries: shown.sort(inOrder) };
}

const inOrder = (a: Entry, b: Entry): number =>
  a.day - b.day || (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.ref < b.ref ? -1 : 1);
