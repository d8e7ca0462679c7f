import type { Row } from './report.ts';

/** How much a run does. */
export interface Scale {
  readonly rounds: number;
  readonly turnSeconds: number;
  readonly cachedKeys: number;
  readonly storedKeys: number;
  /** Keys of better-auth, which creates them itself. */
  readonly peerKeys: number;
  readonly deliveries: number;
  readonly revocations: number;
}

export const FULL: Scale = {
  rounds: 9,
  turnSeconds: 0.6,
  cachedKeys: 100_000,
  storedKeys: 1_000_000,
  peerKeys: 1_000,
  deliveries: 4_000,
  revocations: 500,
};

/** Shows that every scenario works. Its figures mean little. */
export const QUICK: Scale = {
  rounds: 2,
  turnSeconds: 0.5,
  cachedKeys: 5_000,
  storedKeys: 20_000,
  peerKeys: 50,
  deliveries: 500,
  revocations: 20,
};

const MIN_ROUNDS = 3;

/** What a scenario gets from the runner. */
export class Bench {
  readonly scale: Scale;
  readonly log: (line: string) => void;
  readonly #deadline: number;

  constructor(scale: Scale, seconds: number, log: (line: string) => void) {
    this.scale = scale;
    this.log = log;
    this.#deadline = performance.now() + seconds * 1000;
  }

  /**
   * Measures all sides in turns, back and forth (A B B A), so that a change of the machine's speed
   * affects neighbours alike. After three rounds it stops early if the scenario is out of time.
   */
  async takeTurns(
    sides: readonly (() => Promise<unknown>)[],
    rounds = this.scale.rounds,
  ): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      if (round >= MIN_ROUNDS && performance.now() > this.#deadline) return;
      for (const measure of round % 2 === 0 ? sides : sides.toReversed()) await measure();
    }
  }
}

export type Scenario = (bench: Bench) => Promise<Row[]>;
