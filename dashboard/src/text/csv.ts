/** One record of RFC 4180, without the line's end. */
export const csvLine = (cells: readonly unknown[]): string => cells.map(csvCell).join(',');

/** A spreadsheet takes a cell that begins so for a formula, and would run what a customer named. */
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
