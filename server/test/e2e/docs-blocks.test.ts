import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  globSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { shellPath } from './shell-path.ts';

/**
 * Every code block of the documentation. Commands are run, page by page, and programs are checked against the
 * types of the SDK. The line that opens a block can say otherwise: `run by PATH OF A TEST`, or `not run: REASON`.
 */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FILES = ['README.md', 'sdk/README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].filter(
  (file) => !/\/dist\/|\.generated\.md$/.test(file),
);

interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  /** The rest of the line that opens the block. */
  readonly note: string;
  readonly code: string;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const blocks: readonly Block[] = FILES.flatMap((file) => {
  const content = read(file);
  return [...content.matchAll(/^```(\w*)(?: ([^\n]*))?\n(.*?)^```$/gms)].map((match) => ({
    file,
    line: content.slice(0, match.index).split('\n').length,
    language: match[1]!,
    note: match[2] ?? '',
    code: match[3]!,
  }));
});

const COMMANDS = ['sh'];
const PROGRAMS = ['js', 'ts', 'tsx'];
/** Data and output: there is nothing to run. */
const DATA = ['', 'csv', 'html', 'http', 'ini', 'json', 'sql', 'text', 'yaml'];

const SEPARATOR = '@@ end of block @@';

const place = ({ file, line }: Block): string => `${file}:${line}`;
const without = (languages: readonly string[]) =>
  blocks.filter(({ language, note }) => languages.includes(language) && note === '');

it('every block has a known language, and a note that says which test runs it, or why none does', () => {
  expect(blocks.length).toBeGreaterThan(100);
  const unknown = blocks.filter(
    ({ language }) => ![...COMMANDS, ...PROGRAMS, ...DATA].includes(language),
  );
  expect(unknown.map(place)).toEqual([]);
  const wrong = blocks.filter(({ file, note }) => {
    const [, test] = /^run by (\S+\.test\.ts)$/.exec(note) ?? [];
    if (test === undefined) return note !== '' && !/^not run: \S.{5,}/.test(note);
    return !existsSync(join(ROOT, test)) || !read(test).includes(basename(file));
  });
  expect(wrong.map(place)).toEqual([]);
});

it('JSON is valid', () => {
  const isInvalid = ({ code }: Block) => {
    try {
      // One document, or one on each line.
      for (const document of code.startsWith('{ ') ? code.trimEnd().split('\n') : [code])
        JSON.parse(document);
      return false;
    } catch {
      return true;
    }
  };
  expect(without(['json']).filter(isInvalid).map(place)).toEqual([]);
});

it('programs use the SDK as its types allow', () => {
  const folder = mkdtempSync(join(ROOT, 'server/test/.docs-'));
  try {
    const programs = without(PROGRAMS);
    expect(programs.length).toBeGreaterThan(10);
    const files = new Map(
      programs.map((block, number) => {
        const file = join(folder, `${number}.${block.language === 'tsx' ? 'tsx' : 'ts'}`);
        writeFileSync(file, `${block.code}\nexport {};\n`);
        return [file, block];
      }),
    );
    const program = ts.createProgram([...files.keys()], {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.NodeNext,
      jsx: ts.JsxEmit.ReactJSX,
      types: ['node'],
      lib: ['lib.es2024.d.ts', 'lib.dom.d.ts'],
      strict: true,
      noImplicitAny: false,
      useUnknownInCatchVariables: false,
      skipLibCheck: true,
      noEmit: true,
    });
    // Names that are not defined belong to the reader's own program.
    const undefinedNames = new Set([2304, 2552, 2503, 18004, 2582]);
    const problems = [...files].flatMap(([file, block]) => {
      const source = program.getSourceFile(file)!;
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
        .filter(({ code }) => !undefinedNames.has(code))
        .map(
          (each) => `${place(block)}: ${ts.flattenDiagnosticMessageText(each.messageText, ' ')}`,
        );
    });
    expect(problems).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-docs-'));
  let test: TestApp;
  let env: Record<string, string>;
  /** What the ids and values in the documentation stand for. */
  let placeholders: Record<string, string>;
  beforeAll(async () => {
    test = await startTestApp({ realClock: true });
    const create = async (path: string, body: object) => (await test.client.post(path, body)).body;
    const key = await create('/api-keys', {
      name: 'First',
      customAccountId: 'customer-42',
      credits: { remaining: 1000 },
    });
    expect((await test.client.post(`/api-keys/auth/${key.key}`)).status).toBe(200);
    await test.app.tally.flush();
    const leaked = await create('/api-keys', { name: 'Leaked' });
    const plan = await create('/plans', { name: 'Basic' });
    const webhook = await create('/webhooks', {
      name: 'first',
      url: 'https://example.com/first',
      projectId: null,
      topics: ['api-key.created'],
    });
    placeholders = {
      'http://127.0.0.1:8080': test.url,
      'key_…': key.id,
      'prj_…': key.projectId,
      'pln_…': plan.id,
      'whk_…': webhook.id,
      'live_…': leaked.key,
      'account_access_…': test.accessKey,
    };
    env = {
      PATH: shellPath(folder),
      HOME: folder,
      KEYWARD_URL: test.url,
      KEYWARD_ACCESS_KEY: test.accessKey,
      KEY: key.key,
      PROJECT: key.projectId,
    };
    // A request that fails prints why, even with `curl -s`.
    writeFileSync(join(folder, '.curlrc'), 'show-error\n');
    execFileSync('git', ['init', '--quiet', folder]);
    // Files that readers have: keys to import, a logo, a log to scan.
    writeFileSync(join(folder, 'keys.csv'), 'name,key\nHopper,a-key-made-elsewhere\n');
    writeFileSync(join(folder, 'app.log'), 'nothing to find here\n');
    writeFileSync(join(folder, 'logo.png'), PIXEL);
  });
  afterAll(async () => {
    await test.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs the blocks of a page in one shell, since later ones use variables of earlier ones. */
  async function runPage(page: readonly Block[]): Promise<string[]> {
    const script = page
      .map(({ code }) => `${code}\nprintf '${SEPARATOR}'; printf '${SEPARATOR}' >&2\n`)
      .join('');
    const filled = Object.entries(placeholders).reduce(
      (text, [placeholder, value]) => text.replaceAll(placeholder, value),
      script,
    );
    // Not spawnSync: the server is in this process.
    // A file, because a socket cannot be opened as /dev/stderr.
    const errorFile = join(folder, 'stderr');
    const stderr = openSync(errorFile, 'w');
    const shell = spawn('bash', { cwd: folder, env, stdio: ['pipe', 'pipe', stderr] });
    closeSync(stderr);
    shell.stdin!.end(filled);
    const stdout = await text(shell.stdout!);
    const errors = readFileSync(errorFile, 'utf8').split(SEPARATOR);
    return stdout
      .split(SEPARATOR)
      .slice(0, -1)
      .map((output, number) => output + errors[number]);
  }

  /** Codes that the text around a command announces. */
  const EXPECTED = new Set(['rate_limited', 'key_revoked', 'permission_denied', 'key_not_found']);

  const commands = without(COMMANDS);
  const pages = [...Map.groupBy(commands, ({ file }) => file)];

  it('are found', () => expect(commands.length).toBeGreaterThan(25));

  it.each(pages)('of %s succeed, one after the other', async (_file, page) => {
    const outputs = await runPage(page);
    expect(outputs).toHaveLength(page.length);
    for (const [number, output] of outputs.entries()) {
      const where = place(page[number]!);
      expect(output, where).not.toMatch(/keyward: |curl: \(|command not found|No such file/);
      const codes = [...output.matchAll(/"statusCode":.*?"code":"(\w+)"/g)].map(
        ([, code]) => code!,
      );
      expect(
        codes.filter((code) => !EXPECTED.has(code)),
        where,
      ).toEqual([]);
    }
  });
});

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
