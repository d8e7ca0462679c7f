import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, StreamScanner } from './stream-scanner.ts';

/** A finding, and where it is. */
export interface Leak extends Finding {
  readonly path: string;
  /** Only in the history of a repository: the commit that added it. */
  readonly commit?: string;
}

/** What a scan reports while it runs. */
export interface ScanEvents {
  onLeak(leak: Leak): void;
  onError(path: string, error: Error): void;
  onBytes(bytes: number): void;
}

const CHUNK_BYTES = 256 * 1024;
const buffer = Buffer.allocUnsafe(CHUNK_BYTES);

/** Searches a file, or all files below a directory. Links in it are not followed. */
export function scanPath(path: string, events: ScanEvents): void {
  for (const file of filesIn(path, events)) {
    try {
      scanFile(file, events);
    } catch (error) {
      events.onError(file, error as Error);
    }
  }
}

/** Git stores its objects compressed: `--git` reads them. */
const SKIPPED = '.git';

function* filesIn(path: string, events: ScanEvents): Generator<string> {
  try {
    if (!statSync(path).isDirectory()) {
      yield path;
      return;
    }
  } catch (error) {
    events.onError(path, error as Error);
    return;
  }
  const directories = [path];
  for (let next = directories.pop(); next !== undefined; next = directories.pop()) {
    const directory = next;
    const entries = entriesOf(directory, events);
    for (const entry of entries) if (entry.isFile()) yield join(directory, entry.name);
    for (const entry of entries.toReversed())
      if (entry.isDirectory() && entry.name !== SKIPPED)
        directories.push(join(directory, entry.name));
  }
}

function entriesOf(directory: string, events: ScanEvents) {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    events.onError(directory, error as Error);
    return [];
  }
}

/** Lines are counted only in files where something is found, in a second pass. */
function scanFile(path: string, events: ScanEvents): void {
  const file = openSync(path, 'r');
  try {
    const isFile = fstatSync(file).isFile();
    let isFound = !isFile;
    const noteFound = () => {
      isFound = true;
    };
    if (isFile) {
      const first = new StreamScanner(noteFound, { countsLines: false });
      for (const chunk of chunksOf(file, 0)) {
        first.push(chunk);
        events.onBytes(chunk.length);
      }
    }
    if (!isFound) return;
    const second = new StreamScanner((finding) => events.onLeak({ path, ...finding }));
    for (const chunk of chunksOf(file, isFile ? 0 : null)) second.push(chunk);
  } finally {
    closeSync(file);
  }
}

/** `start`: a position in the file; null for a pipe, which has none. Each chunk overwrites the last one. */
function* chunksOf(file: number, start: number | null): Generator<Buffer> {
  for (let position = start; ; ) {
    const bytes = readSync(file, buffer, 0, buffer.length, position);
    if (bytes === 0) return;
    yield buffer.subarray(0, bytes);
    if (position !== null) position += bytes;
  }
}

/** Searches standard input. */
export async function scanStream(
  path: string,
  input: AsyncIterable<Buffer>,
  events: ScanEvents,
): Promise<void> {
  const scanner = new StreamScanner((finding) => events.onLeak({ path, ...finding }));
  for await (const chunk of input) {
    scanner.push(chunk);
    events.onBytes(chunk.length);
  }
}
