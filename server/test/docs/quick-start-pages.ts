import { FRAMEWORKS, type FrameworkName } from '../../src/cli/commands/init/frameworks.ts';
import { type Block, blocks } from './blocks.ts';

/** A page of `docs/quick-starts` in its parts. */
export interface QuickStart {
  readonly name: FrameworkName;
  readonly file: string;
  readonly install: string;
  readonly program: Block;
  readonly start: string;
  readonly requests: string;
}

const NAMES = Object.keys(FRAMEWORKS) as FrameworkName[];

export const QUICK_STARTS: readonly QuickStart[] = NAMES.map((name) => {
  const page = blocks.filter(({ file }) => file === `docs/quick-starts/${name}.md`);
  const [init, install, program, start, requests] = page;
  if (!requests || !init?.code.includes(`--framework ${name}\n`))
    throw new Error(`docs/quick-starts/${name}.md lacks a block`);
  return {
    name,
    file: program!.file,
    install: install!.code,
    program: program!,
    start: start!.code,
    requests: requests.code,
  };
});

/** The requests of a page, to another port, with this key. */
export const requestsTo = ({ requests }: QuickStart, url: string, key: string): string =>
  requests.replaceAll('http://127.0.0.1:3000', url).replaceAll('live_…', key);

/** The statuses of the responses that `curl -i` printed. */
export const statusesIn = (output: string): string[] =>
  [...output.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status!);
