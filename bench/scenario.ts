import { roundsWithin } from './budget.ts';
import type { Row } from './rows.ts';

/** How much of everything a run does. */
export interface Scale {
  readonly rounds: { readonly least: number; readonly most: number };
  /** Pairs of short turns, where an effect is small against what the machine does by itself. */
  readonly pairs: { readonly least: number; readonly most: number };
  /** Turns of known keys with the bare server and with batches: many and short. */
  readonly duels: number;
  readonly stretchSeconds: number;
  readonly cachedKeys: number;
  /** Where a mode is measured and not the size of the cache: fewer are warm sooner. */
  readonly sharedKeys: number;
  readonly listedKeys: number;
  readonly storedKeys: number;
  /** With ninety days of usage each. */
  readonly usedKeys: number;
  readonly deliveries: number;
  readonly waitingDeliveries: number;
  readonly importedKeys: number;
  readonly revocations: number;
  readonly localRevocations: number;
  readonly peerKeys: number;
  readonly soakSeconds: number;
}

export const FULL: Scale = {
  rounds: { least: 5, most: 7 },
  pairs: { least: 6, most: 24 },
  duels: 12,
  stretchSeconds: 0.8,
  cachedKeys: 100_000,
  sharedKeys: 20_000,
  listedKeys: 100_000,
  storedKeys: 1_000_000,
  usedKeys: 100_000,
  deliveries: 3_000,
  waitingDeliveries: 100_000,
  importedKeys: 50_000,
  revocations: 1_000,
  localRevocations: 25,
  peerKeys: 1_000,
  soakSeconds: 60,
};

export const QUICK: Scale = {
  ...FULL,
  rounds: { least: 2, most: 3 },
  pairs: { least: 3, most: 8 },
  duels: 3,
  stretchSeconds: 0.5,
  cachedKeys: 10_000,
  sharedKeys: 10_000,
  storedKeys: 100_000,
  deliveries: 2_000,
  waitingDeliveries: 20_000,
  importedKeys: 20_000,
  revocations: 100,
  localRevocations: 5,
  usedKeys: 5_000,
  listedKeys: 20_000,
  peerKeys: 100,
  soakSeconds: 10,
};

export interface Bench {
  readonly scale: Scale;
  /** Where to put a CPU profile of the server under load; null: none is taken. */
  readonly profileFile: string | null;
  say(line: string): void;
  /** Rounds, or pairs of turns, as the budget of the scenario allows. */
  rounds(kind?: 'rounds' | 'pairs'): Iterable<number>;
}

export type Scenario = (bench: Bench) => Promise<Row[]>;

/** Kept for stopping servers and removing files. */
const TEAR_DOWN_MS = 1_500;

export function benchFor(
  name: string,
  scale: Scale,
  budgetSeconds: number,
  profileFile: string | null = null,
): Bench {
  const begunAt = performance.now();
  const deadline = begunAt + budgetSeconds * 1000 - TEAR_DOWN_MS;
  const elapsed = () => ((performance.now() - begunAt) / 1000).toFixed(1);
  return {
    scale,
    profileFile,
    say: (line) => console.log(`${name} at ${elapsed()} s: ${line}`),
    rounds: (kind = 'rounds') => roundsWithin(scale[kind], deadline, () => performance.now()),
  };
}
