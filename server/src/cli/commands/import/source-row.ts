/** One record of the file: its fields, or why it cannot be read. Never both. */
export interface SourceRow {
  /** Where it begins, from 1. */
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

/** Takes a file in pieces of any size and gives the records that are whole. */
export interface RowReader {
  push(chunk: Buffer): SourceRow[];
  end(): SourceRow[];
}

/** No row that can be imported is longer: 16 KB of metadata, escaped, and the rest. */
export const ROW_BYTES_MAX = 128 * 1024;

/** The file as a whole cannot be read. */
export class FileProblem extends Error {}
