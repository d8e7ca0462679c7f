/** One record of the file: either its fields, or the reason why it cannot be read. */
export interface SourceRow {
  /** Number of its first line, from 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>> | null;
  readonly problem: string | null;
}

export const readableRow = (line: number, fields: SourceRow['fields']): SourceRow => ({
  line,
  fields,
  problem: null,
});

export const brokenRow = (line: number, problem: string): SourceRow => ({
  line,
  fields: null,
  problem,
});

/** Takes a file in chunks of any size and returns the complete records. */
export interface RowReader {
  push(chunk: Buffer): SourceRow[];
  end(): SourceRow[];
}

/** Longer than any valid row: 16 KB of metadata, escaped, and the other fields. */
export const ROW_BYTES_MAX = 128 * 1024;

/** The file as a whole cannot be read. */
export class FileProblem extends Error {}
