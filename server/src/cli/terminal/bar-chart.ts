import { printable, shorten, widthOf } from './cell.ts';
import type { Terminal } from './terminal.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const WIDTH_WITHOUT_TERMINAL = 72;
const LABEL_MAX = 32;
const BAR_MIN = 8;

/**
 * One line per value, scaled to the largest. Blocks on a terminal; plain marks in a file and with
 * NO_COLOR, where the font often lacks the blocks.
 */
export function barChart(terminal: Terminal, bars: readonly Bar[]): string {
  const figures = bars.map(({ value }) => value.toLocaleString('en-GB'));
  const figureWidth = Math.max(...figures.map((figure) => figure.length));
  const labels = bars.map(({ label }) => shorten(printable(label), LABEL_MAX));
  const labelWidth = Math.max(...labels.map(widthOf));
  const width = terminal.columns ?? WIDTH_WITHOUT_TERMINAL;
  const room = Math.max(BAR_MIN, width - labelWidth - figureWidth - 4);
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const isPlain = terminal.columns === null || Boolean(terminal.env.NO_COLOR);
  const draw = isPlain ? plainBar : blockBar;
  return bars
    .map(({ value }, n) => {
      const label = labels[n]! + ' '.repeat(labelWidth - widthOf(labels[n]!));
      const bar = draw((value / most) * room);
      return `${label}  ${figures[n]!.padStart(figureWidth)}  ${terminal.style('green', bar)}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** In eighths of a character; a value above zero is always visible. */
function blockBar(length: number): string {
  const eighths = length === 0 ? 0 : Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

const plainBar = (length: number): string =>
  '#'.repeat(length === 0 ? 0 : Math.max(1, Math.round(length)));
