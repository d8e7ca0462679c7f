import { DigestTable } from './digest-table.ts';
import { RowProblem } from './field-readers.ts';
import { type FieldRules, importFields } from './row-fields.ts';
import type { SourceRow } from './source-row.ts';

/** A row that is ready to be sent, or refused without being sent. */
export interface PreparedRow {
  readonly line: number;
  /** The item of the request; null if it is refused. */
  readonly item: object | null;
  /** Length of the item in the body, with its comma. */
  readonly bytes: number;
  readonly refused: Reason | null;
}

export interface Reason {
  readonly code: string;
  readonly message: string;
}

const refused = (line: number, code: string, message: string): PreparedRow => ({
  line,
  item: null,
  bytes: 0,
  refused: { code, message },
});

/** Later rows are compared with these only, which need up to 400 MB. */
const REMEMBERED_MAX = 2 ** 24;

/** Refuses rows without asking the server: unreadable ones, those with wrong fields, and duplicates. */
export function createPreparer(rules: FieldRules): (row: SourceRow) => PreparedRow {
  const firstLines = new DigestTable();
  return ({ line, fields, problem }) => {
    if (fields === null) return refused(line, 'unreadable', problem ?? '');
    let row: Record<string, unknown>;
    try {
      row = importFields(fields, rules);
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      return refused(line, 'invalid_body', error.message);
    }
    const { digestOf, duplicate } = rules.kind;
    const digest = digestOf(row);
    if (digest !== null) {
      const first = firstLines.find(digest);
      if (first > 0)
        return refused(line, duplicate.code, `The same ${duplicate.field} is in line ${first}.`);
      if (firstLines.size < REMEMBERED_MAX) firstLines.add(digest, line);
    }
    return { line, item: row, bytes: Buffer.byteLength(JSON.stringify(row)) + 1, refused: null };
  };
}
