import type { Lane, Stretch } from '../lane.ts';
import type { Row } from '../rows.ts';
import { median } from '../statistics.ts';
import type { LineChart } from '../svg/line-chart.ts';

/** How far the curves go. */
export interface Reach {
  readonly storedKeys: readonly number[];
  readonly workingSet: number;
  readonly connections: readonly number[];
  /** Of the keys asked for, those of a kind that is refused. */
  readonly shares: readonly number[];
  readonly changesPerSecond: readonly number[];
  readonly stretchSeconds: number;
  readonly rounds: number;
  /** Where a few per cent are asked for. */
  readonly pairs: number;
  readonly starts: number;
  /** In the database while a backup, a roll-up and a replay run. */
  readonly keysBeside: number;
  readonly replayedEvents: number;
}

export const WHOLE: Reach = {
  storedKeys: [1_000, 100_000, 1_000_000, 10_000_000],
  workingSet: 100_000,
  connections: [1, 10, 100, 1_000],
  shares: [0, 0.25, 0.5, 0.75, 1],
  changesPerSecond: [0, 100, 1_000],
  stretchSeconds: 1,
  rounds: 7,
  pairs: 24,
  starts: 5,
  keysBeside: 1_000_000,
  replayedEvents: 20_000,
};

/** To see that they can be drawn. */
export const SMALL: Reach = {
  storedKeys: [1_000, 5_000, 20_000],
  workingSet: 5_000,
  connections: [1, 10, 100],
  shares: [0, 0.5, 1],
  changesPerSecond: [0, 100],
  stretchSeconds: 0.5,
  rounds: 2,
  pairs: 3,
  starts: 2,
  keysBeside: 20_000,
  replayedEvents: 1_000,
};

export interface Drawn {
  readonly rows: readonly Row[];
  readonly picture: Omit<LineChart, 'subtitle'>;
}

export type Curve = (reach: Reach, say: (line: string) => void) => Promise<Drawn>;

/** 1k, 100k, 10M. */
export function short(count: number): string {
  if (count >= 1e6) return `${count / 1e6}M`;
  return count >= 1e3 ? `${count / 1e3}k` : String(count);
}

/** One line through the medians of lanes. */
export const seriesOf = (
  label: string,
  lanes: readonly { readonly lane: Lane }[],
  of: (stretch: Stretch) => number,
) => ({ label, values: lanes.map(({ lane }) => median(lane.figures(of))) });
