import { hash } from 'node:crypto';
import { readSha256 } from '../../../features/api-keys/import/key-hash.ts';
import { type FieldRules, importFields, RowProblem } from './row-fields.ts';
import { SeenValues } from './seen-values.ts';
import type { SourceRow } from './source-row.ts';

/** A row that is ready to be sent, or refused without being sent. */
export interface PreparedRow {
  readonly line: number;
  /** The item of `keys`; null if it is refused. */
  readonly key: object | null;
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
  key: null,
  bytes: 0,
  refused: { code, message },
});

/** Refuses rows without asking the server: unreadable ones and duplicates. */
export function createPreparer(rules: FieldRules): (row: SourceRow) => PreparedRow {
  const seen = new SeenValues();
  return ({ line, fields, problem }) => {
    if (fields === null) return refused(line, 'unreadable', problem ?? '');
    let row: Record<string, unknown>;
    try {
      row = importFields(fields, rules);
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      return refused(line, 'invalid_body', error.message);
    }
    const digest = digestOf(row);
    const first = digest && seen.firstLine(digest, line);
    return first === null
      ? { line, key: row, bytes: Buffer.byteLength(JSON.stringify(row)) + 1, refused: null }
      : refused(line, 'key_exists', `The same value is in line ${first}.`);
  };
}

/** Null if the row has no valid value or hash: the server reports the problem. */
function digestOf({ key, keyHash }: Record<string, unknown>): Uint8Array | null {
  if (typeof key === 'string') return hash('sha256', key, 'buffer');
  return typeof keyHash === 'string' ? readSha256(keyHash) : null;
}
