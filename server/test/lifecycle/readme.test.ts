import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsHelp } from '../../src/app/config.ts';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { ChildServer } from '../harness/child-server.ts';
import { freePort } from '../harness/free-port.ts';
import { shellPath } from '../harness/shell-path.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FIRST_KEY = /access key +(\S+)/;
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const section = (title: string): string => readme.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;

const directory = mkdtempSync(join(tmpdir(), 'keyward-readme-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The code of the blocks of a section, in a language. */
const codeOf = (title: string, language: string): string[] =>
  [
    ...section(title).matchAll(
      new RegExp(`^\`\`\`${language} run by [^\\n]*\\n(.*?)^\`\`\``, 'gms'),
    ),
  ].map(([, code = '']) => code);

describe('the README', () => {
  let server: ChildServer;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await new ChildServer({ dataDir: join(directory, 'data') }).ready();
    while (!FIRST_KEY.test(server.stdout)) await once(server.process.stdout!, 'data');
    const [, accessKey] = FIRST_KEY.exec(server.stdout)!;
    // Instead of `npm install`: the packages of the repository.
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    env = {
      PATH: shellPath(directory),
      KEYWARD_URL: server.url,
      KEYWARD_ACCESS_KEY: accessKey!,
    };
  });
  afterAll(() => server.end('SIGTERM'));

  /** Standard input, like pasted text: a command that reads it would consume the commands that follow. */
  function paste(code: string): string {
    const { status, stdout, stderr } = spawnSync('bash', ['-e'], {
      ...{ input: `${code}echo 'reached the end'\n`, encoding: 'utf8', cwd: directory, env },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
    expect(stderr).not.toMatch(/keyward:|not found/);
    expect(stdout).toMatch(/reached the end\n$/);
    return stdout;
  }

  it('has what the first start prints', () => {
    const [, printed] = /```text\n(.*?)```/s.exec(section('Start'))!;
    const shown = (text: string) =>
      text
        .replace(/^\{.*\n/gm, '')
        .replaceAll(server.url, 'http://127.0.0.1:8080')
        .replace(/account_access_\w+/, 'account_access_…')
        .replace(/token=[\w-]+/, 'token=…')
        .trim();
    expect(shown(server.output)).toContain(printed!.trim());
  });

  it('protects an API in a few lines', async () => {
    const apiPort = await freePort();
    const adapted = (code: string) =>
      code
        .replaceAll('http://127.0.0.1:8080', server.url)
        .replaceAll(':3000/', `:${apiPort}/`)
        .replace('listen(3000)', `listen(${apiPort}, () => console.log('listening'))`);
    const [program] = codeOf('Start', 'js');
    expect(program!.trim().split('\n').length).toBeLessThanOrEqual(10);
    writeFileSync(join(directory, 'api.mjs'), adapted(program!));
    const api = spawn(process.execPath, ['api.mjs'], { cwd: directory, env, stdio: 'pipe' });
    try {
      await once(api.stdout, 'data');
      const printed = paste(adapted(codeOf('Start', 'sh')[0]!));
      expect([...printed.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
        '401',
        '200',
      ]);
      expect(printed).toContain('Hello, Ada!');
    } finally {
      api.kill();
    }
  });

  it('has commands that can be pasted as a whole', () => {
    const printed = paste(codeOf('The command line', 'sh')[0]!);
    expect(printed).toContain('valid  Grace');
    expect(printed).toContain('1 created, 0 unchanged (already there), 0 refused.');
  });

  it('has at most 150 lines', () => expect(readme.split('\n').length).toBeLessThanOrEqual(151));
});

it('docs/reference/configuration.md lists the settings of the service', () => {
  const rows = readFileSync(join(ROOT, 'docs/reference/configuration.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) => row.split('|')[1]!.match(/[A-Z][A-Z_]+/g)!);
  const known = settingsHelp().map(({ env }) => env);
  expect(listed.toSorted()).toEqual(known.toSorted());
});

it('docs/guides/edge.md lists the variables of an edge', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/edge.md'), 'utf8');
  const listed = guide.match(/(?<=^\|.*`)KEYWARD_[A-Z_]+(?=`.*\|$)/gm)!;
  const settings = readFileSync(join(ROOT, 'server/src/edge/settings.ts'), 'utf8');
  const read = new Set(settings.match(/(?<=\benv\.)KEYWARD_[A-Z_]+/g));
  expect([...read].filter((name) => !listed.includes(name))).toEqual([]);
  expect(read.size).toBeGreaterThan(5);
});

it('commands are always written with npx', () => {
  const paths = ['*.md', 'server/src', 'dashboard/src'];
  const files = execFileSync('git', ['ls-files', ...paths], { cwd: ROOT, encoding: 'utf8' });
  const commands = new Set(COMMANDS.map(({ words }) => words.split(' ')[0]));
  const bare = new RegExp(
    `(?<!npx\\s|from |exec keyward |run --rm )(?<![\\w/.@-])keyward\\s+(?:${[...commands].join('|')})(?![\\w-])`,
    'g',
  );
  // A value such as the name of a webhook, and no command to type.
  const quoted = /(['"])keyward [a-z ]+\1/g;
  const found = files
    .trim()
    .split('\n')
    .filter((file) => /\.(md|tsx?)$/.test(file) && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(quoted, '');
      return (text.match(bare) ?? []).map((command) => `${file}: ${command}`);
    });
  expect(found).toEqual([]);
});

it('every path that CONTRIBUTING.md names exists', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const named = text.match(/(?<=[`(])(?:server|sdk|dashboard|docs|scripts)\/[\w./-]+(?=[`)])/g)!;
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
