import { closeSync, createReadStream, openSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { UsageError } from '../../failure.ts';
import { CsvReader } from './csv-reader.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import { FileProblem, type RowReader, type SourceRow } from './source-row.ts';

export type Format = 'csv' | 'ndjson';

export function formatOf(text: string | undefined): Format | undefined {
  if (text === undefined || text === 'csv' || text === 'ndjson') return text;
  throw new UsageError(`--format takes csv or ndjson, not ${JSON.stringify(text)}`);
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'this user has no permission to read it',
};

/** Called before anything is sent: a wrong path is the most likely mistake. */
export function assertReadable(file: string): void {
  if (file === '-') return;
  try {
    closeSync(openSync(file, 'r'));
    if (statSync(file).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(
      `${resolve(file)} cannot be read: ${CAUSES[code] ?? message}. Give the path of a CSV or NDJSON file, or - for standard input.`,
    );
  }
}

/** Null: unknown. */
export const sizeOf = (file: string): number | null => (file === '-' ? null : statSync(file).size);

export interface SourceOptions {
  /** `-`: standard input. */
  readonly file: string;
  readonly format: Format | undefined;
  onHeader(names: readonly string[]): void;
  /** How many bytes have been read. */
  onRead(bytes: number): void;
}

const BY_EXTENSION: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

const CHUNK_BYTES = 256 * 1024;
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Streams the rows of the file, with one chunk in memory at a time. */
export async function* sourceRows(options: SourceOptions): AsyncGenerator<SourceRow> {
  const stream: AsyncIterable<Buffer> =
    options.file === '-'
      ? process.stdin
      : createReadStream(options.file, { highWaterMark: CHUNK_BYTES });
  let reader: RowReader | undefined;
  let read = 0;
  for await (const chunk of stream) {
    const isFirst = reader === undefined;
    reader ??= readerFor(chunk, options);
    yield* reader.push(isFirst ? withoutMark(chunk) : chunk);
    read += chunk.length;
    options.onRead(read);
  }
  if (reader === undefined) throw new FileProblem('the file is empty.');
  yield* reader.end();
}

const withoutMark = (chunk: Buffer): Buffer =>
  chunk.subarray(0, 3).equals(UTF8_MARK) ? chunk.subarray(3) : chunk;

function readerFor(first: Buffer, options: SourceOptions): RowReader {
  if ((first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff))
    throw new FileProblem('the file is UTF-16. Save it as UTF-8.');
  const firstCharacter = withoutMark(first).toString('latin1', 0, 1024).trimStart()[0];
  const format =
    options.format ??
    BY_EXTENSION[extname(options.file)] ??
    (firstCharacter === '{' ? 'ndjson' : 'csv');
  if (firstCharacter === '[' && extname(options.file) !== '.csv')
    throw new FileProblem(
      "the file is one JSON array. Write one object per line: jq -c '.[]' FILE",
    );
  return format === 'csv' ? new CsvReader(options.onHeader) : new NdjsonReader();
}
