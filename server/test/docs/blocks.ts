import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Every code block of the documentation. Commands are run, page by page; programs are checked against the types of
 * the SDK and run; data is parsed. The line that opens a block can say otherwise: `run by PATH OF A TEST`, or `not run: REASON`.
 */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FILES = ['README.md', 'sdk/README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].filter(
  (file) => !file.includes('/dist/'),
);

export interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  /** The rest of the line that opens the block. */
  readonly note: string;
  readonly code: string;
}

export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

export const blocks: readonly Block[] = FILES.flatMap((file) => {
  const content = read(file);
  return [...content.matchAll(/^```(\w*)(?: ([^\n]*))?\n(.*?)^```$/gms)].map((match) => ({
    file,
    line: content.slice(0, match.index).split('\n').length,
    language: match[1]!,
    note: match[2] ?? '',
    code: match[3]!,
  }));
});

export const COMMANDS = ['sh'];
export const PROGRAMS = ['js', 'ts', 'tsx'];
/** Programs in other languages: a note names the test that runs them. */
export const FOREIGN = ['caddy', 'dockerfile', 'go', 'python'];
/** Data and output: there is nothing to run. */
export const DATA = ['', 'csv', 'html', 'http', 'ini', 'json', 'sql', 'text', 'yaml'];

export const place = ({ file, line }: Block): string => `${file}:${line}`;
/** The blocks in these languages that have no note. */
export const without = (languages: readonly string[]) =>
  blocks.filter(({ language, note }) => languages.includes(language) && note === '');
