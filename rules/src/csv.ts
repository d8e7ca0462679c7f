/** One record of RFC 4180, without the line ending. */
export const csvLine = (cells: readonly unknown[]): string => cells.map(csvCell).join(',');

/** Spreadsheets execute cells that start with one of these characters as formulas. */
const FORMULA = /^[=+\-@\t\r]/;
const SPECIAL = /[",\r\n]/;

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return csvCell(JSON.stringify(value));
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
