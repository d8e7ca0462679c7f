import assert from 'node:assert/strict';
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
import { parse } from 'yaml';
import { COMMANDS as CLI } from '../../../src/cli/commands/index.ts';
import { runToEnd } from '../../harness/child.ts';
import { shellPath } from '../../harness/shell-path.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

/**
 * Every code block of the documentation. Commands are run, page by page; programs are checked against the types of
 * the SDK and run; data is parsed. The line that opens a block can say otherwise: `run by PATH OF A TEST`, or `not run: REASON`.
 */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const RUNNER = join(ROOT, 'server/test/system/docs/docs-program-run.mjs');
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

/** What fails if it is pasted into zsh, the shell of macOS: comments, and wildcards that match no file. */
const unpastable = (code: string): boolean =>
  /(^|\s)#|[*?[]/.test(code.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, ''));

it('commands can be pasted into zsh', () => {
  const pasted = blocks.filter(({ language, code }) => language === 'sh' && !code.startsWith('#!'));
  expect(pasted.filter(({ code }) => unpastable(code)).map(place)).toEqual([]);
  const examples = CLI.flatMap((command) => command.examples);
  expect(examples.length).toBeGreaterThan(30);
  expect(examples.filter(unpastable)).toEqual([]);
});

it('commands use only variables that the page sets', () => {
  const pages = [...Map.groupBy(without(COMMANDS), ({ file }) => file)];
  const unset = pages.flatMap(([file, page]) => {
    const script = page.map(({ code }) => code).join('');
    const isSet = (name: string) =>
      name === 'KEYWARD_ACCESS_KEY' || new RegExp(`(^|\\s)${name}=`).test(script);
    const used = [...script.matchAll(/\$(\w+)/g)].map(([, name]) => name!);
    return used.filter((name) => !isSet(name)).map((name) => `${file}: $${name}`);
  });
  expect(unset).toEqual([]);
});

/** Throws if the text is not in the language of its block. */
const PARSERS: Record<string, (code: string, block: Block) => void> = {
  json(code) {
    // One document, or one on each line.
    for (const document of code.startsWith('{ ') ? code.trimEnd().split('\n') : [code])
      JSON.parse(document);
  },
  yaml: (code) => assert(typeof parse(code, { strict: true }) === 'object'),
  ini(code) {
    assert.match(code, /^\[\w+\]$/m);
    for (const line of code.split('\n')) assert.match(line, /^(#.*|\[\w+\]|\w+=.*)?$/);
  },
  csv(code) {
    const columns = code
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(',').length);
    assert.equal(new Set(columns).size, 1);
  },
  http(code, { file }) {
    const [first = '', ...headers] = code.trimEnd().split('\n');
    const status = /^HTTP\/1\.1 (\d{3}) \w/.exec(first)?.[1];
    assert(read(file).includes(`"statusCode": ${status},`));
    for (const header of headers) assert.match(header, /^[\w-]+: \S/);
  },
};

it.each(Object.keys(PARSERS))('%s is valid', (language) => {
  expect(without([language]).length).toBeGreaterThan(0);
  const problems = without([language]).flatMap((block) => {
    try {
      PARSERS[language]!(block.code, block);
      return [];
    } catch (error) {
      return [`${place(block)}: ${error}`];
    }
  });
  expect(problems).toEqual([]);
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

describe('commands and programs', () => {
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
      'https://keys.example.com': test.url,
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
      KEY_ID: key.id,
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

  const filled = (code: string): string =>
    Object.entries(placeholders).reduce(
      (text, [placeholder, value]) => text.replaceAll(placeholder, value),
      code,
    );

  /** Runs the blocks of a page in one shell, since later ones use variables of earlier ones. */
  async function runPage(page: readonly Block[]): Promise<string[]> {
    const script = page
      .map(({ code }) => `${code}\nprintf '${SEPARATOR}'; printf '${SEPARATOR}' >&2\n`)
      .join('');
    // Not spawnSync: the server is in this process.
    // A file, because a socket cannot be opened as /dev/stderr.
    const errorFile = join(folder, 'stderr');
    const stderr = openSync(errorFile, 'w');
    const shell = spawn('bash', { cwd: folder, env, stdio: ['pipe', 'pipe', stderr] });
    closeSync(stderr);
    shell.stdin!.end(filled(script));
    const stdout = await text(shell.stdout!);
    const errors = readFileSync(errorFile, 'utf8').split(SEPARATOR);
    return stdout
      .split(SEPARATOR)
      .slice(0, -1)
      .map((output, number) => output + errors[number]);
  }

  /** Codes that the text around a command announces, in this order. */
  const EXPECTED: Record<string, readonly string[]> = {
    'README.md': ['rate_limited', 'rate_limited', 'key_not_found', 'key_revoked'],
  };

  const commands = without(COMMANDS);
  const pages = [...Map.groupBy(commands, ({ file }) => file)];

  it('are found', () => expect(commands.length).toBeGreaterThan(25));

  it.each(pages)('of %s succeed, one after the other', async (file, page) => {
    const outputs = await runPage(page);
    expect(outputs).toHaveLength(page.length);
    for (const [number, output] of outputs.entries()) {
      const where = place(page[number]!);
      expect(output, where).not.toMatch(/keyward: |curl: \(|command not found|No such file/);
    }
    const codes = outputs.join('').matchAll(/"statusCode":.*?"code":"(\w+)"/g);
    expect([...codes].map(([, code]) => code)).toEqual(EXPECTED[file] ?? []);
  });

  it('programs run', async () => {
    const programs = mkdtempSync(join(ROOT, 'server/test/.docs-'));
    try {
      const files = without(PROGRAMS).map((block, number) => {
        const file = join(programs, `${number}.mjs`);
        writeFileSync(file, toScript({ ...block, code: filled(block.code) }));
        return [place(block), file];
      });
      await runToEnd(process.execPath, [RUNNER, JSON.stringify(files)], programs, env);
    } finally {
      rmSync(programs, { recursive: true });
    }
  });
});

function toScript({ code, language }: Block): string {
  // Node loads no styles; that the file exists is checked.
  const { outputText } = ts.transpileModule(code.replace(/^import '.*\.css';$/m, ''), {
    fileName: `program.${language}`,
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      jsx: ts.JsxEmit.ReactJSX,
      verbatimModuleSyntax: true,
    },
  });
  return outputText;
}

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
