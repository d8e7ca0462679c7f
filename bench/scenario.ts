import type { Row } from './rows.ts';

/** How much of everything a run does. */
export interface Scale {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly cachedKeys: number;
  readonly listedKeys: number;
  readonly storedKeys: number;
  readonly starts: number;
  /** With ninety days of usage each. */
  readonly usedKeys: number;
  readonly deliveries: number;
  readonly waitingDeliveries: number;
  readonly importedKeys: number;
  readonly revocations: number;
  readonly localRevocations: number;
}

export const FULL: Scale = {
  rounds: 7,
  roundSeconds: 5,
  cachedKeys: 100_000,
  listedKeys: 100_000,
  storedKeys: 1_000_000,
  starts: 5,
  usedKeys: 100_000,
  deliveries: 20_000,
  waitingDeliveries: 100_000,
  importedKeys: 200_000,
  revocations: 2_000,
  localRevocations: 50,
};

export const QUICK: Scale = {
  rounds: 3,
  roundSeconds: 2,
  cachedKeys: 25_000,
  listedKeys: 100_000,
  storedKeys: 200_000,
  starts: 3,
  usedKeys: 10_000,
  deliveries: 4_000,
  waitingDeliveries: 100_000,
  importedKeys: 50_000,
  revocations: 200,
  localRevocations: 10,
};

export interface Bench {
  readonly scale: Scale;
  /** Where to put a CPU profile of the server under load; null: none is taken. */
  readonly profileFile: string | null;
  say(line: string): void;
}

export type Scenario = (bench: Bench) => Promise<Row[]>;
