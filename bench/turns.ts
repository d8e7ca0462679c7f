/**
 * Measures sides by turns, back and forth (A B B A …), all of them warm: what slows the machine
 * for a second or two slows neighbours alike, and a machine that drifts favours none. The ratio is
 * taken within each turn, so that only what differs inside one counts.
 */
export async function takeTurns(
  turns: Iterable<number>,
  sides: readonly (() => Promise<unknown>)[],
): Promise<void> {
  for (const turn of turns)
    for (const measure of turn % 2 === 0 ? sides : sides.toReversed()) await measure();
}

/** 0 to just below `count`. */
export const upTo = (count: number): number[] =>
  Array.from({ length: Math.ceil(count) }, (_, n) => n);
