import { round, svgPage, text, told } from './page.ts';
import { ticksUpTo } from './scale.ts';

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly spread: { readonly low: number; readonly high: number } | null;
  readonly isOurs: boolean;
}

const WIDTH = 760;
const LEFT = 270;
const RIGHT = 70;
const TOP = 62;
const ROW = 28;

/** Horizontal bars from zero, with their spread as a whisker. */
export function barChart(chart: {
  readonly title: string;
  readonly subtitle: string;
  readonly bars: readonly Bar[];
}): string {
  const { title, subtitle, bars } = chart;
  const ticks = ticksUpTo(Math.max(0, ...bars.map(({ value, spread }) => spread?.high ?? value)));
  const highest = ticks.at(-1)!;
  const x = (value: number): number => LEFT + (value / highest) * (WIDTH - LEFT - RIGHT);
  const bottom = TOP + bars.length * ROW;
  const grid = ticks.flatMap((tick) => [
    `<line class="grid" x1="${round(x(tick))}" x2="${round(x(tick))}" y1="${TOP - 6}" y2="${bottom}"/>`,
    text(x(tick), bottom + 16, told(tick), { kind: 'small', anchor: 'middle' }),
  ]);
  return svgPage({ width: WIDTH, height: bottom + 28, title }, [
    text(16, 24, title, { kind: 'title' }),
    text(16, 42, subtitle, { kind: 'small' }),
    ...grid,
    ...bars.flatMap((bar, n) => barParts(bar, TOP + n * ROW, x)),
  ]);
}

function barParts(bar: Bar, top: number, x: (value: number) => number): string[] {
  const middle = top + ROW / 2;
  const end = Math.max(x(bar.value), x(bar.spread?.high ?? 0));
  return [
    text(LEFT - 10, middle + 4, bar.label, { anchor: 'end' }),
    `<rect class="${bar.isOurs ? 'ours' : 'theirs'}" x="${LEFT}" y="${top + 5}" width="${round(x(bar.value) - LEFT)}" height="${ROW - 10}" rx="2"/>`,
    ...(bar.spread === null
      ? []
      : [
          `<line class="whisker" x1="${round(x(bar.spread.low))}" x2="${round(x(bar.spread.high))}" y1="${middle}" y2="${middle}"/>`,
        ]),
    text(end + 6, middle + 4, told(bar.value)),
  ];
}
