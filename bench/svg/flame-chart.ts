import type { Flame } from '../flame.ts';
import { escapeXml, round, svgPage, text } from './page.ts';

const WIDTH = 1200;
const SIDE = 16;
const TOP = 56;
const ROW = 17;
/** Narrower ones cannot be seen. */
const WIDTH_MIN = 1.5;
const CHARACTER = 6.2;

interface Placed {
  readonly flame: Flame;
  readonly left: number;
  readonly width: number;
  readonly depth: number;
}

/** Who called whom, from the top: the width is the share of the time. */
export function flameChart(title: string, subtitle: string, root: Flame): string {
  const placed: Placed[] = [];
  const place = (flame: Flame, left: number, depth: number): void => {
    const width = (flame.time / root.time) * (WIDTH - 2 * SIDE);
    if (width < WIDTH_MIN) return;
    placed.push({ flame, left, width, depth });
    let next = left;
    for (const called of flame.called) {
      place(called, next, depth + 1);
      next += (called.time / root.time) * (WIDTH - 2 * SIDE);
    }
  };
  place(root, SIDE, 0);
  const deepest = Math.max(...placed.map(({ depth }) => depth));
  return svgPage({ width: WIDTH, height: TOP + (deepest + 1) * ROW + 12, title }, [
    text(SIDE, 24, title, { kind: 'title' }),
    text(SIDE, 42, subtitle, { kind: 'small' }),
    ...placed.flatMap((each) => boxOf(each, root.time)),
  ]);
}

function boxOf({ flame: { name, time }, left, width, depth }: Placed, whole: number): string[] {
  const top = TOP + depth * ROW;
  const share = `${((time / whole) * 100).toFixed(1)} %`;
  const characters = Math.floor((width - 6) / CHARACTER);
  const shown = name.length <= characters ? name : `${name.slice(0, Math.max(0, characters - 1))}…`;
  return [
    `<rect class="flame${depth % 3}" x="${round(left)}" y="${top}" width="${round(width - 0.5)}" height="${ROW - 1}"><title>${escapeXml(`${name}: ${share}`)}</title></rect>`,
    ...(characters < 3 ? [] : [text(left + 3, top + 12, shown, { kind: 'small' })]),
  ];
}
