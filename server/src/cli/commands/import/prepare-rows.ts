import { hash } from 'node:crypto';
import { readSha256 } from '../../../features/api-keys/import/key-hash.ts';
import { type FieldRules, importFields, RowProblem } from './row-fields.ts';
import { SeenValues } from './seen-values.ts';
import type { SourceRow } from './source-row.ts';

/** A row ready to be sent, or refused before it is. */
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

/** Settles what can be said without the server: what cannot be read, and what comes twice. */
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

/** Null when it has none that could be compared: the server will say what is wrong. */
function digestOf({ key, keyHash }: Record<string, unknown>): Uint8Array | null {
  if (typeof key === 'string') return hash('sha256', key, 'buffer');
  return typeof keyHash === 'string' ? readSha256(keyHash) : null;
}
