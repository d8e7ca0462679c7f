/** Compared with PostgreSQL. Rate limits, expiry and signatures of two nodes then differ by as much. */
const CLOCK_WARN_MS = 500;
const CLOCK_OFF_MS = 2_000;

/** `off`: this node should receive no requests. */
export type ClockState = 'right' | 'suspect' | 'off';

/**
 * Judges the clock of a node. Positive offsets: ahead of PostgreSQL. If most of the other nodes agree with
 * PostgreSQL, a large offset is the fault of this node; otherwise, it may be the clock of PostgreSQL.
 */
export function clockStateOf(offsetMs: number, othersMs: readonly number[]): ClockState {
  const agreeing = othersMs.filter((other) => Math.abs(other) <= CLOCK_OFF_MS).length;
  if (Math.abs(offsetMs) > CLOCK_OFF_MS && agreeing > othersMs.length / 2) return 'off';
  return Math.abs(offsetMs) > CLOCK_WARN_MS ? 'suspect' : 'right';
}

interface Sample {
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

const SAMPLES = 3;

/**
 * Estimates the offset to a clock that is read over the network. Uses the reading with the shortest round trip: its
 * error is at most half of that time.
 */
export async function measureOffset(
  readServer: () => Promise<number>,
  wallClock: () => number,
  elapsed: () => number,
): Promise<number> {
  let best: Sample | null = null;
  for (let n = 0; n < SAMPLES; n++) {
    const began = elapsed();
    const wallTime = wallClock();
    const serverTime = await readServer();
    const roundTripMs = elapsed() - began;
    const offsetMs = wallTime + roundTripMs / 2 - serverTime;
    if (best === null || roundTripMs < best.roundTripMs) best = { offsetMs, roundTripMs };
  }
  return Math.round(best!.offsetMs);
}
