export interface Series {
  readonly id: string;
  readonly label: string;
  /** Number of a `--color-chart-…` token. */
  readonly color: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11;
  readonly values: readonly number[];
}

/** Values to compare with, drawn as a line. */
export type Reference = Pick<Series, 'label' | 'values'>;

/** Complete class names, because Tailwind generates only classes that it finds in the source. */
export const FILLS = {
  1: 'fill-chart-1',
  2: 'fill-chart-2',
  3: 'fill-chart-3',
  4: 'fill-chart-4',
  5: 'fill-chart-5',
  6: 'fill-chart-6',
  7: 'fill-chart-7',
  8: 'fill-chart-8',
  9: 'fill-chart-9',
  10: 'fill-chart-10',
  11: 'fill-chart-11',
} as const;

export const STROKES = {
  1: 'stroke-chart-1',
  2: 'stroke-chart-2',
  3: 'stroke-chart-3',
  4: 'stroke-chart-4',
  5: 'stroke-chart-5',
  6: 'stroke-chart-6',
  7: 'stroke-chart-7',
  8: 'stroke-chart-8',
  9: 'stroke-chart-9',
  10: 'stroke-chart-10',
  11: 'stroke-chart-11',
} as const;

/** Ticks of the value axis, from zero to at least `max`, in round steps. */
export function axisTicks(max: number): number[] {
  if (max <= 0) return [0, 1];
  const rough = max / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough)!);
  const ticks = [0];
  while (ticks.at(-1)! < max) ticks.push(ticks.at(-1)! + step);
  return ticks;
}

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
