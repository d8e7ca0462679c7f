// 15 s of CPU: runs every command and program of the documentation, about a hundred processes.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runToEnd } from '../harness/child.ts';
import { shellPath } from '../harness/shell-path.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type Block, COMMANDS, PROGRAMS, place, ROOT, without } from './blocks.ts';

const RUNNER = join(ROOT, 'server/test/docs/program-run.mjs');

const SEPARATOR = '@@ end of block @@';

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

  const commands = without(COMMANDS);
  const pages = [...Map.groupBy(commands, ({ file }) => file)];

  it('are found', () => expect(commands.length).toBeGreaterThan(25));

  it.each(pages)('of %s succeed, one after the other', async (_, page) => {
    const outputs = await runPage(page);
    expect(outputs).toHaveLength(page.length);
    for (const [number, output] of outputs.entries()) {
      const where = place(page[number]!);
      expect(output, where).not.toMatch(/^keyward: |curl: \(|command not found|No such file/m);
    }
    expect(outputs.join('')).not.toMatch(/"statusCode":.*?"code":"(\w+)"/);
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
