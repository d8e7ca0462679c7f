import { round, svgPage, text, told } from './page.ts';
import { ticksUpTo } from './scale.ts';

interface Series {
  readonly label: string;
  /** One for each place; null where there is none. */
  readonly values: readonly (number | null)[];
}

interface Panel {
  readonly unit: string;
  readonly series: readonly Series[];
}

export interface LineChart {
  readonly title: string;
  readonly subtitle: string;
  /** What the places are, evenly apart: a curve over 1, 10, 100, 1000 needs no other scale. */
  readonly places: readonly string[];
  readonly axis: string;
  readonly panels: readonly Panel[];
}

const PANEL = 360;
const LEFT = 62;
const RIGHT = 22;
const TOP = 92;
const PLOT = 170;

/** One panel beside the other over the same places, each from zero with its own unit. */
export function lineChart({ title, subtitle, places, axis, panels }: LineChart): string {
  const width = Math.max(2, panels.length) * PANEL;
  return svgPage({ width, height: TOP + PLOT + 46, title }, [
    text(16, 24, title, { kind: 'title' }),
    text(16, 42, subtitle, { kind: 'small' }),
    ...panels.flatMap((panel, n) => panelParts(panel, n * PANEL, places, axis)),
  ]);
}

function panelParts(
  { unit, series }: Panel,
  offset: number,
  places: readonly string[],
  axis: string,
): string[] {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const ticks = ticksUpTo(Math.max(0, ...known));
  const left = offset + LEFT;
  const plotWidth = PANEL - LEFT - RIGHT;
  const x = (n: number): number => left + ((n + 0.5) / places.length) * plotWidth;
  const y = (value: number): number => TOP + PLOT - (value / ticks.at(-1)!) * PLOT;
  return [
    text(left, TOP - 30, unit, { kind: 'small' }),
    ...series.map(({ label }, n) => legend(label, n, left + n * 110)),
    ...ticks.flatMap((tick) => [
      `<line class="grid" x1="${left}" x2="${left + plotWidth}" y1="${round(y(tick))}" y2="${round(y(tick))}"/>`,
      text(left - 6, y(tick) + 4, told(tick), { kind: 'small', anchor: 'end' }),
    ]),
    ...places.map((place, n) =>
      text(x(n), TOP + PLOT + 18, place, { kind: 'small', anchor: 'middle' }),
    ),
    text(left + plotWidth / 2, TOP + PLOT + 36, axis, { kind: 'small', anchor: 'middle' }),
    ...series.flatMap(({ values }, n) => lineParts(values, n, x, y)),
  ];
}

const legend = (label: string, n: number, x: number): string =>
  `<circle class="d${n % 3}" cx="${x + 4}" cy="${TOP - 16}" r="4"/>${text(x + 13, TOP - 12, label, { kind: 'small' })}`;

function lineParts(
  values: readonly (number | null)[],
  n: number,
  x: (place: number) => number,
  y: (value: number) => number,
): string[] {
  const points = values.flatMap((value, place) =>
    value === null ? [] : [`${round(x(place))},${round(y(value))}`],
  );
  return [
    `<polyline class="line s${n % 3}" points="${points.join(' ')}"/>`,
    ...points.map((point) => {
      const [cx, cy] = point.split(',');
      return `<circle class="d${n % 3}" cx="${cx}" cy="${cy}" r="3"/>`;
    }),
  ];
}
