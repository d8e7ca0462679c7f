interface SizedColumn {
  /** A track of a CSS grid: `minmax(12rem, 2fr)`, `8rem`. */
  readonly width: string;
  readonly optional?: number;
}

const GAP_REM = 1;
const PADDING_REM = 2;
const CHECKBOX_REM = 1;
/** Border of the table and width of a scroll bar. */
const FRAME_PX = 20;

/**
 * The columns that fit into a table of this width without horizontal scrolling. Optional columns are
 * hidden, the highest number first. The others always stay.
 */
export function fittingColumns<Column extends SizedColumn>(
  columns: readonly Column[],
  widthPx: number,
  hasCheckboxes: boolean,
  remPx = 16,
): readonly Column[] {
  const roomRem = (widthPx - FRAME_PX) / remPx - PADDING_REM;
  let shown = columns;
  while (neededRem(shown, hasCheckboxes) > roomRem) {
    const least = Math.max(...shown.map(({ optional }) => optional ?? 0));
    if (least === 0) return shown;
    const last = shown.findLastIndex(({ optional }) => optional === least);
    shown = shown.toSpliced(last, 1);
  }
  return shown;
}

function neededRem(columns: readonly SizedColumn[], hasCheckboxes: boolean): number {
  const widths = columns.map(({ width }) => minRem(width));
  if (hasCheckboxes) widths.push(CHECKBOX_REM);
  return widths.reduce((sum, width) => sum + width, 0) + GAP_REM * (widths.length - 1);
}

const minRem = (width: string): number => Number(/([\d.]+)rem/.exec(width)?.[1] ?? 0);
