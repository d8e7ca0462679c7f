/** `npm run test:system -- --full` runs all rounds; otherwise they are few enough to stay quick. */
export const isFull = process.env.KEYWARD_FAULTS === 'full';

export const scaled = (full: number, quick: number): number => (isFull ? full : quick);

/** Ends a test that hangs; generous, since a full run takes long. */
export const timeoutMs = scaled(3_600_000, 900_000);

/** Formats a number for the test output. */
export const figure = (n: number): string => n.toLocaleString('en');

/** Time budget of a quick run for the rounds of one test, beyond the minimum number. */
const BUDGET_MS = 5_000;

/** Whether a quick run may end: `atLeast` rounds are done, and its time budget is spent. */
export function quickBudget(atLeast: number): (done: number) => boolean {
  const startedAt = performance.now();
  return (done) => !isFull && done >= atLeast && performance.now() - startedAt > BUDGET_MS;
}

/**
 * Runs `full` rounds, or `quick` ones in a quick run. A quick run whose time budget is spent ends as
 * soon as it has run `atLeast` rounds: a slow machine runs fewer rounds instead of failing.
 * Returns the number of rounds.
 */
export async function rounds(
  { full, quick, atLeast }: { full: number; quick: number; atLeast: number },
  run: (round: number) => Promise<void>,
): Promise<number> {
  const mayStop = quickBudget(atLeast);
  let done = 0;
  while (done < scaled(full, quick) && !mayStop(done)) await run(done++);
  return done;
}
