import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Leak, ScanEvents } from './files.ts';
import { StreamScanner } from './stream-scanner.ts';

const NEWLINE = 0x0a;
/** `%(rest)` is the path that `rev-list` writes after the id. */
const HEADER = '%(objectname) %(objecttype) %(objectsize) %(rest)';

/** Searches every version of every file, and every commit message, that a reference leads to. */
export async function scanHistory(repository: string, events: ScanEvents): Promise<void> {
  const git = (...args: string[]) => spawn('git', ['-C', repository, ...args]);
  const list = git('rev-list', '--objects', '--all');
  const objects = git('cat-file', '--buffer', `--batch=${HEADER}`);
  // Errors are reported by their exit codes.
  objects.stdin.on('error', () => {});
  list.stdout.pipe(objects.stdin);
  const done = [list, objects].map(async (process) => {
    let problem = '';
    process.stderr.on('data', (text) => {
      problem += text;
    });
    const [code] = await once(process, 'close');
    if (code !== 0) throw new Error(problem.trim() || `git ended with code ${code}`);
  });
  const parser = new ObjectParser(repository, events);
  const reading = (async () => {
    for await (const chunk of objects.stdout) parser.push(chunk as Buffer);
  })();
  await Promise.all([...done, reading]);
}

/**
 * Reads the output of `cat-file --batch`: a header line, the contents, and a newline for each object.
 * States: in a header (`#left` is null), or in contents with `#left` bytes to come, the last of which
 * is the newline.
 */
class ObjectParser {
  readonly #repository: string;
  readonly #events: ScanEvents;
  /** As Latin-1, one character per byte: a character of the path may be split between two chunks. */
  #header = '';
  #left: number | null = null;
  #scanner: StreamScanner | null = null;
  #found: Leak[] = [];
  #object = '';

  constructor(repository: string, events: ScanEvents) {
    this.#repository = repository;
    this.#events = events;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; )
      at = this.#left === null ? this.#readHeader(chunk, at) : this.#readContents(chunk, at);
  }

  #readHeader(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(NEWLINE, at);
    this.#header += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
    if (end < 0) return chunk.length;
    const [object = '', type = '', size = '', ...path] = Buffer.from(this.#header, 'latin1')
      .toString()
      .split(' ');
    this.#header = '';
    this.#object = object;
    this.#left = Number(size) + 1;
    const name = type === 'blob' ? path.join(' ') : `${type} ${object}`;
    const onFound = (finding: Omit<Leak, 'path'>) => this.#found.push({ path: name, ...finding });
    this.#scanner = type === 'tree' ? null : new StreamScanner(onFound);
    return end + 1;
  }

  #readContents(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#left!);
    this.#scanner?.push(chunk.subarray(at, end));
    this.#events.onBytes(end - at);
    this.#left! -= end - at;
    if (this.#left === 0) this.#endObject();
    return end;
  }

  #endObject(): void {
    this.#left = null;
    if (this.#found.length === 0) return;
    const commit = this.#commitOf(this.#found[0]!.path);
    for (const leak of this.#found) this.#events.onLeak({ ...leak, commit });
    this.#found = [];
  }

  /** The first commit with this version of the file. Findings are few, so git is asked for each. */
  #commitOf(path: string): string {
    if (path === `commit ${this.#object}`) return this.#object;
    const args = ['log', '--all', '--reverse', '--format=%H', `--find-object=${this.#object}`];
    const [first = ''] = execFileSync('git', ['-C', this.#repository, ...args], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    }).split('\n');
    return first || this.#object;
  }
}
