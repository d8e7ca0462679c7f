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
  /** Places that have no order, between which there is nothing: points without a line. */
  readonly isUnordered?: boolean;
  readonly panels: readonly Panel[];
}

/** Two beside each other are as wide as a page is read. */
const COLUMNS = 2;
const PANEL = 380;
const LEFT = 62;
const RIGHT = 24;
const HEAD = 52;
const TOP = 48;
const PLOT = 160;
const BOTTOM = 48;
const LEGEND = 100;

/** Panels over the same places, each from zero with its own unit. */
export function lineChart(chart: LineChart): string {
  const { title, subtitle, panels } = chart;
  const rows = Math.ceil(panels.length / COLUMNS);
  const height = HEAD + rows * (TOP + PLOT + BOTTOM);
  return svgPage({ width: COLUMNS * PANEL, height, title }, [
    text(16, 24, title, { kind: 'title' }),
    text(16, 42, subtitle, { kind: 'small' }),
    ...panels.flatMap((panel, n) => {
      const corner = {
        left: (n % COLUMNS) * PANEL + LEFT,
        top: HEAD + Math.floor(n / COLUMNS) * (TOP + PLOT + BOTTOM) + TOP,
      };
      return panelParts(panel, corner, chart);
    }),
  ]);
}

function panelParts(
  { unit, series }: Panel,
  { left, top }: { readonly left: number; readonly top: number },
  { places, axis, isUnordered = false }: LineChart,
): string[] {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const ticks = ticksUpTo(Math.max(0, ...known));
  const plotWidth = PANEL - LEFT - RIGHT;
  const bottom = top + PLOT;
  const x = (n: number): number => left + ((n + 0.5) / places.length) * plotWidth;
  const y = (value: number): number => bottom - (value / ticks.at(-1)!) * PLOT;
  const isAlone = series.length === 1;
  return [
    text(left, top - 30, isAlone ? `${unit}${labelOf(series[0]!)}` : unit),
    ...(isAlone ? [] : series.map(({ label }, n) => legend(label, n, left + n * LEGEND, top))),
    ...ticks.flatMap((tick) => [
      `<line class="grid" x1="${left}" x2="${left + plotWidth}" y1="${round(y(tick))}" y2="${round(y(tick))}"/>`,
      text(left - 6, y(tick) + 4, told(tick), { kind: 'small', anchor: 'end' }),
    ]),
    ...places.map((place, n) =>
      text(x(n), bottom + 18, place, { kind: 'small', anchor: 'middle' }),
    ),
    text(left + plotWidth / 2, bottom + 36, axis, { kind: 'small', anchor: 'middle' }),
    ...series.flatMap(({ values }, n) => lineParts(values, n, { x, y, isAlone, isUnordered })),
  ];
}

const labelOf = ({ label }: Series): string => (label === '' ? '' : `: ${label}`);

const legend = (label: string, n: number, x: number, top: number): string =>
  `<circle class="d${n % 3}" cx="${x + 4}" cy="${top - 14}" r="4"/>${text(x + 13, top - 10, label, { kind: 'small' })}`;

interface Drawing {
  readonly x: (place: number) => number;
  readonly y: (value: number) => number;
  /** Then there is room to write each value over its point. */
  readonly isAlone: boolean;
  readonly isUnordered: boolean;
}

function lineParts(
  values: readonly (number | null)[],
  n: number,
  { x, y, isAlone, isUnordered }: Drawing,
): string[] {
  const points = values.flatMap((value, place) =>
    value === null ? [] : [{ value, cx: round(x(place)), cy: round(y(value)) }],
  );
  const path = points.map(({ cx, cy }) => `${cx},${cy}`).join(' ');
  return [
    ...(isUnordered ? [] : [`<polyline class="line s${n % 3}" points="${path}"/>`]),
    ...points.map(({ cx, cy }) => `<circle class="d${n % 3}" cx="${cx}" cy="${cy}" r="3.5"/>`),
    ...(isAlone
      ? points.map(({ value, cx, cy }) =>
          text(cx, cy - 8, told(value), { kind: 'small over', anchor: 'middle' }),
        )
      : []),
  ];
}
